"""What sweeps find, cost, and do to counting beside them.

The long form:

    .venv/bin/python tests/target_service/bench_achievements.py --members 50000 --rounds 10

The small versions of all but the last part are in the suite.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from achievements_client import Achieving
from durable_service import Durable, durable_service
from ingest_load import IngestLoad, Windows
from made_members import make, name, unlocks, visit
from sweeping import SweepProcess
from valkey_process import ValkeyProcess

from target_service.achievements import tables
from target_service.ledger.store import Store

WRITES = ("xadd", "zadd", "evalsha", "hset", "unlink", "set", "del")
PAST_THE_LEASE_MS = 11_000
_POLL_SECONDS = 0.05


def tell(words: str) -> None:
    """Print a line at once."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def said_by(path: Path, **arguments: int) -> dict[str, object]:
    """Sweep in a process and return what it said in the end."""
    with SweepProcess(path, **arguments) as process:
        return process.said()


@contextmanager
def service(folder: Path, **settings: str) -> Iterator[Durable]:
    """A service with the folder's ledger, on a server of its own."""
    valkey = ValkeyProcess(folder)
    valkey.start()
    try:
        with durable_service("partitioned", valkey, folder, **settings) as durable:
            yield durable
    finally:
        valkey.stop()


def frames(durable: Durable, expected: int) -> Counter[str]:
    """Frames per member, once as many as expected are on the stream and no more come."""
    achieving = Achieving(durable.http, durable.redis, durable.ledger)
    while len(achieving.stream()) < expected:
        time.sleep(_POLL_SECONDS)
    time.sleep(1)
    return Counter(fields["member"] for _, fields in achieving.stream())


def two_at_once(folder: Path, members: int, every: int) -> None:
    """Two sweeps at once under a service that publishes; then a second one right after."""
    store = make(folder / "ledger.db", members, every)
    crossing = members // every
    with service(folder) as durable:
        with SweepProcess(store.path) as first, SweepProcess(store.path) as second:
            told = (first.said(), second.said())
        tell(f"two sweeps at once: {told[0]} | {told[1]}")
        found = frames(durable, crossing)
        doubles = sum(times > 1 for times in found.values())
        tell(f"frames: {found.total()}, members with more than one: {doubles}")
        second_sweep(durable, store, folder)


def second_sweep(durable: Durable, store: Store, folder: Path) -> None:
    """Nobody has moved: rows by SQLite's count, commands by Redis's, and the line in the log."""
    empty = Store(folder / "empty.db", "normal")
    empty.prepare()
    tables.prepare(empty)
    nobody = said_by(empty.path)
    again = said_by(store.path)
    tell(f"second sweep: {again}; a sweep of nobody writes {nobody['rows']} rows")
    before = _written(durable)
    achieving = Achieving(durable.http, durable.redis, durable.ledger)
    achieving.sweep()
    tell(f"a third one by the service: Redis writes {_written(durable) - before or 'none'}")
    line = [one for one in durable.service.log.read_text().splitlines() if "by hand" in one][-1]
    tell(f"its line: {line}")


def _written(durable: Durable) -> Counter[str]:
    ran = durable.redis.info("commandstats")
    return Counter({one: int(ran.get(f"cmdstat_{one}", {"calls": 0})["calls"]) for one in WRITES})


def fenced(folder: Path, members: int, every: int) -> None:
    """A sweeper that slept past its lease."""
    store = make(folder / "ledger.db", members, every)
    with SweepProcess(store.path, pause_before=members // 2_000) as sleeper:
        sleeper.said()
        other = said_by(store.path, late_ms=PAST_THE_LEASE_MS)
        sleeper.go_on()
        tell(f"slept past its lease: {sleeper.said()}; the other: {other}")
    tell(f"unlocks: {len(unlocks(store))}, different members: {len(set(unlocks(store)))}")


def killed(folder: Path, members: int, every: int) -> None:
    """A sweeper that was killed in the middle, and the run after it."""
    store = make(folder / "ledger.db", members, every)
    with SweepProcess(store.path, pause_before=members // 2_000) as victim:
        victim.said()
        victim.kill()
    half = len(unlocks(store))
    then = said_by(store.path, late_ms=PAST_THE_LEASE_MS)
    expected = [name(index) for index in range(0, members, every)]
    is_right = expected == sorted(unlocks(store))
    tell(f"killed after {half} unlocks; then {then}: each member once: {is_right}")


async def ingest_beside(
    durable: Durable, store: Store, members: int, rate: float, rounds: int
) -> None:
    """Counting without and with a sweep in turn, so that what else the machine does hits both."""
    load = IngestLoad(durable.service.port, members, rate)
    stop = asyncio.Event()
    running = asyncio.create_task(load.run(stop))
    achieving = Achieving(durable.http, durable.redis, durable.ledger)
    quiet, swept = Windows(), Windows()
    looked_at, seconds = 0, 0.0
    for _ in range(rounds):
        await asyncio.to_thread(visit, store, range(members), 1)
        await asyncio.sleep(1)
        with quiet.measured():
            await asyncio.sleep(3)
        with swept.measured():
            row = await asyncio.to_thread(achieving.sweep)
        looked_at, seconds = looked_at + row["scanned"], seconds + row["seconds"]
    stop.set()
    await running
    p99 = [load.p99_ms(one.spans) for one in (quiet, swept)]
    tell(f"{rounds} sweeps in which everybody had moved: {looked_at / seconds:,.0f} members/s")
    tell(f"ingest at {rate:g}/s, {load.answered(quiet.spans):,} without: p99 {p99[0]:.2f} ms")
    tell(f"and {load.answered(swept.spans):,} with a sweep running: p99 {p99[1]:.2f} ms")
    tell(f"ratio {p99[1] / p99[0]:.2f}; failed {load.failed}")
    still = achieving.sweep()
    tell(f"nobody had moved: {still['scanned'] / max(still['seconds'], 0.001):,.0f} members/s")


def main() -> None:
    """Show everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--members", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--load-members", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate", type=float, default=300.0)
    options = parser.parse_args()
    for part in (two_at_once, fenced, killed):
        with tempfile.TemporaryDirectory() as folder:
            part(Path(folder), options.members, options.every)
    with tempfile.TemporaryDirectory() as folder:
        store = make(Path(folder) / "ledger.db", options.load_members, options.every)
        given = (store, options.load_members, options.rate, options.rounds)
        with service(Path(folder)) as durable:
            asyncio.run(ingest_beside(durable, *given))


if __name__ == "__main__":
    main()
