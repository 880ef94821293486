"""How many events a second the ledger sustains, and what they cost on disk.

The long form:

    .venv/bin/python tests/target_service/bench_ledger.py --events 3000000 --players 1000000

The yardstick is `executemany` of the same events into the same tables at the same sync setting,
one commit a batch, without any check: what a plain script would do.
"""

import argparse
import asyncio
import sqlite3
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from target_service.ledger.events import Batch, Board, LedgerOptions
from target_service.ledger.sqlite import SqliteLedger
from target_service.ledger.store import Store

_FIRST_SEQUENCE = 1_788_000_000_000_000
_BOARDS = 12
_CHECKPOINT_BATCHES = 40
_UPSERT = (
    "INSERT INTO players VALUES ('s1', ?, 1, ?, ?, ?)"
    " ON CONFLICT DO UPDATE SET score = excluded.score,"
    " sequence = excluded.sequence, change = excluded.change"
    " WHERE excluded.sequence > sequence"
)


def batches(options: argparse.Namespace, event_id: Callable[[int], str]) -> Iterator[Batch]:
    """Make the events: players uniform, each at home on one of twelve boards, ids in order."""
    rng = Random(1)
    per_board = options.players // _BOARDS
    for number in range(options.events // options.batch):
        start = number * options.batch
        home = number % _BOARDS
        indexes = range(start, start + options.batch)
        yield Batch(
            Board("s1", f"lb:region:{home}:s1"),
            [event_id(index) for index in indexes],
            [f"player-{home + _BOARDS * rng.randrange(per_board):07d}" for _ in indexes],
            [rng.randrange(10_001) for _ in indexes],
            [_FIRST_SEQUENCE + index for index in indexes],
        )


class Cost(NamedTuple):
    """Events a second, and processor time for each."""

    rate: float
    cpu_us: float


class Stopwatch:
    """Adds up time on the clock and time on the processor, over several stretches."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.cpu_seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the block."""
        started, cpu_started = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - started
        self.cpu_seconds += time.process_time() - cpu_started


async def time_ledger(
    path: Path, made: Iterator[Batch], watch: Stopwatch, options: argparse.Namespace
) -> None:
    """Store all batches through the front, a few at a time, marked projected and all."""
    ledger = SqliteLedger(
        path, LedgerOptions(sync=options.sync, compaction_changes=options.compaction_changes)
    )
    while chunk := list(islice(made, options.chunk)):
        with watch.running():
            for at in range(0, len(chunk), options.at_once):
                group = [ledger.submit_batch(batch) for batch in chunk[at : at + options.at_once]]
                for outcome in await asyncio.gather(*group):
                    ledger.mark_projected(outcome.versions)
    with watch.running():
        await ledger.close()


def time_executemany(
    path: Path,
    made: Iterator[Batch],
    watch: Stopwatch,
    options: argparse.Namespace,
    *,
    standings: bool,
) -> None:
    """Store all batches by executemany, with or without the standings beside the log."""
    store = Store(path, options.sync)
    store.prepare()
    connection = store.connect()
    change = 0
    for number, batch in enumerate(made):
        with watch.running():
            columns = zip(
                batch.event_ids, batch.player_ids, batch.scores, batch.sequences or (), strict=True
            )
            rows = [
                (change + index, event_id, player, 1, score, None, sequence, 1)
                for index, (event_id, player, score, sequence) in enumerate(columns, 1)
            ]
            change += len(rows)
            with store.transaction(connection):
                connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
                if standings:
                    connection.executemany(
                        _UPSERT, [(row[2], row[4], row[6], row[0]) for row in rows]
                    )
            if number % _CHECKPOINT_BATCHES == 0:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    connection.close()


def pages_used(path: Path) -> int:
    """Bytes the file really uses."""
    with sqlite3.connect(path) as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    return int((pages - free) * size)


def given_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--at-once", type=int, default=16, help="batches on their way together")
    parser.add_argument("--chunk", type=int, default=160, help="batches made ahead of the clock")
    parser.add_argument("--sync", choices=("full", "normal"), default="full")
    parser.add_argument("--random-ids", action="store_true", help="UUIDs instead of run ids")
    parser.add_argument(
        "--compaction-changes", type=int, default=LedgerOptions().compaction_changes
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ledger-only", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = given_options()

    def event_id(index: int) -> str:
        if options.random_ids:
            return uuid.UUID(int=Random(index).getrandbits(128)).hex
        return f"20260906T120000Z-peak-partitioned-{index}"

    def report(name: str, store_all: Callable[[Path, Iterator[Batch], Stopwatch], None]) -> Cost:
        watch = Stopwatch()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bench.db"
            store_all(path, batches(options, event_id), watch)
            size = pages_used(path) / options.events
        rate = float(options.events) / watch.seconds
        cpu_us = watch.cpu_seconds / options.events * 1e6
        sys.stdout.write(
            f"{name:32}{rate:>18,.0f} events/s{cpu_us:>7.2f} CPU us/event{size:>7.1f} bytes/event\n"
        )
        return Cost(rate, cpu_us)

    def through_the_ledger(path: Path, made: Iterator[Batch], watch: Stopwatch) -> None:
        asyncio.run(time_ledger(path, made, watch, options))

    sys.stdout.write(
        f"{options.events:,} events, {options.players:,} players, batches of {options.batch}, "
        f"{options.at_once} at once, sync {options.sync}\n"
    )
    ratios: dict[str, list[Cost]] = defaultdict(list)
    for _ in range(options.rounds):
        ours = report("ledger", through_the_ledger)
        if options.ledger_only:
            continue
        for name, standings in (
            ("executemany, log", False),
            ("executemany, log and standings", True),
        ):
            other = report(name, partial(time_executemany, options=options, standings=standings))
            ratios[name].append(Cost(ours.rate / other.rate, ours.cpu_us / other.cpu_us))
    for name, found in ratios.items():
        rates, cpu = zip(*found, strict=True)
        sys.stdout.write(
            f"ratio to {name}: events/s {_middle(rates)}, CPU/event {_middle(cpu)}, "
            f"{options.rounds} rounds\n"
        )


def _middle(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


if __name__ == "__main__":
    main()
