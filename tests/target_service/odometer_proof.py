"""Deliveries through both ways in, while the services and Redis are killed: nothing is lost.

    .venv/bin/python tests/target_service/odometer_proof.py [--deliveries 100000] [--races 70000]

prints what came of it; a test of the suite does the same with few.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import redis

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from odometer_events import race, read_only, settings
from service_process import ServiceProcess
from valkey_process import ValkeyProcess

from target_service.timestamps import rfc3339

EVENT = "proof"
HOUR_MS = 3_600_000
_POSTED_AT_ONCE = 100
_ADDED_AT_ONCE = 20
_PATIENCE_SECONDS = 120.0

Json = dict[str, Any]


@dataclass(frozen=True)
class Proof:
    """What was sent, what was killed, and what the ledger and the service say in the end."""

    deliveries: int
    races: int
    expected: int
    told_total: int
    lake_total: int
    contributions_total: int
    lake_deliveries: int
    counted_rows: int
    counted_races: int
    wrong_players: int
    kills: int
    seconds: float


class Stack:
    """Two services on one ledger and one Redis that keeps its stream on disk."""

    def __init__(self, folder: Path) -> None:
        self.valkey = ValkeyProcess(folder, "--appendonly", "yes", "--appendfsync", "always")
        self.ledger = folder / "ledger.db"
        self.services = [
            ServiceProcess(
                folder / f"service-{number}.log",
                self.ledger,
                HOTBOARD_MODE="naive",
                HOTBOARD_REDIS_URL=self.valkey.url(),
            )
            for number in range(2)
        ]
        self.kills = 0

    def start(self) -> None:
        """Start everything."""
        self.valkey.start()
        self.start_services()

    def start_services(self) -> None:
        """Start the services side by side."""
        with ThreadPoolExecutor(len(self.services)) as starting:
            list(starting.map(ServiceProcess.start, self.services))

    def stop(self) -> None:
        """Stop everything."""
        with ThreadPoolExecutor(len(self.services)) as stopping:
            list(stopping.map(ServiceProcess.stop, self.services))
        self.valkey.stop()

    def kill_one(self, rng: Random) -> None:
        """Kill a service at a random moment, and start it again."""
        service = rng.choice(self.services)
        service.kill()
        self.kills += 1
        service.start()

    def kill_redis(self) -> None:
        """Kill Redis, and start it again on what it has on disk."""
        self.valkey.stop()
        self.kills += 1
        self.valkey.start()


@contextmanager
def running(folder: Path) -> Iterator[Stack]:
    """A stack that is stopped in the end."""
    stack = Stack(folder)
    stack.start()
    try:
        yield stack
    finally:
        stack.stop()


def _insisting(send: Callable[[], bool]) -> None:
    """Send until it is acknowledged, as producers do; each try may arrive, or not."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            if send():
                return
        except (httpx.TransportError, redis.RedisError, OSError):
            pass
        time.sleep(0.05)
    raise TimeoutError("The stack did not come back.")


def _post(stack: Stack, bodies: list[Json], rng: Random) -> None:
    def send() -> bool:
        service = rng.choice(stack.services)
        with service.client() as http:
            answer = http.post("/v1/races", json=bodies)
        assert answer.status_code in {200, 503}, answer.text
        return answer.status_code == 200

    _insisting(send)


def _add(stack: Stack, bodies: list[Json]) -> None:
    def send() -> bool:
        with stack.valkey.client() as client:
            client.xadd("races", {"races": json.dumps(bodies)})
        return True

    _insisting(send)


def _made(deliveries: int, races: int, rng: Random) -> list[Json]:
    """The bodies: every race once, redeliveries of some, shuffled."""
    now_ms = time.time_ns() // 1_000_000
    distinct = [
        race(EVENT, f"race-{n}", now_ms, rng.randint(1, 30), f"player-{rng.randrange(500)}")
        for n in range(races)
    ]
    sent = distinct + rng.choices(distinct, k=deliveries - races)
    rng.shuffle(sent)
    return sent


def _send(stack: Stack, sent: list[Json], seed: int) -> None:
    """Half by POST, half over the stream, eight senders at once."""
    half = len(sent) // 2
    posts = [sent[n : n + _POSTED_AT_ONCE] for n in range(0, half, _POSTED_AT_ONCE)]
    adds = [sent[n : n + _ADDED_AT_ONCE] for n in range(half, len(sent), _ADDED_AT_ONCE)]
    # Both ways run side by side, so that a race and its redelivery may meet on different ones.
    with ThreadPoolExecutor(4) as posting, ThreadPoolExecutor(4) as adding:
        done = [posting.submit(_post, stack, bodies, Random(seed)) for bodies in posts]
        done += [adding.submit(_add, stack, bodies) for bodies in adds]
        for one in done:
            one.result()


def _wait_until_consumed(stack: Stack) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with stack.valkey.client() as client:
        while client.xlen("races") and time.monotonic() < deadline:
            time.sleep(0.1)


def prove(folder: Path, deliveries: int, races: int, kill_every_seconds: float) -> Proof:
    """Send everything while things die, wait until all is consumed, and compare."""
    rng = Random(deliveries)
    now_ms = time.time_ns() // 1_000_000
    sent = _made(deliveries, races, rng)
    with running(folder) as stack:
        body = settings(now_ms - HOUR_MS, now_ms + HOUR_MS)
        with stack.services[0].client() as http:
            http.put(f"/v1/events/{EVENT}", json=body).raise_for_status()
        began = time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(_send, stack, sent, deliveries)
            stack.kill_one(rng)
            stack.kill_redis()
            while not sending.done():
                stack.kill_one(rng)
                wait([sending], rng.uniform(0, 2 * kill_every_seconds))
            sending.result()
        _wait_until_consumed(stack)
        seconds = time.monotonic() - began
        return _compared(stack, sent, _told(stack), seconds)


def _told(stack: Stack) -> int:
    """The first total that is not of an earlier moment than this one."""
    now = rfc3339(time.time_ns() // 1_000_000)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    told: Json = {"as_of": ""}
    with stack.services[1].client() as http:
        while told["as_of"] < now and time.monotonic() < deadline:
            time.sleep(0.05)
            told = http.get(f"/v2/events/{EVENT}").json()
    return int(told["total"])


def _compared(stack: Stack, sent: list[Json], told_total: int, seconds: float) -> Proof:
    distinct = {one["race_id"]: one for one in sent}
    parts: Counter[str] = Counter()
    for one in distinct.values():
        parts[one["player_id"]] += one["amounts"]["miles"]
    connection = read_only(stack.ledger)
    counted_rows, counted_races, lake_total, rows = connection.execute(
        "SELECT sum(outcome = 'counted'),"
        " count(DISTINCT CASE WHEN outcome = 'counted' THEN race END),"
        " sum(CASE WHEN outcome = 'counted' THEN amount END), count(*) FROM odometer_lake"
    ).fetchone()
    found = dict(connection.execute("SELECT player, amount FROM odometer_contributions").fetchall())
    connection.close()
    return Proof(
        deliveries=len(sent),
        races=len(distinct),
        expected=sum(parts.values()),
        told_total=told_total,
        lake_total=lake_total,
        contributions_total=sum(found.values()),
        lake_deliveries=rows,
        counted_rows=counted_rows,
        counted_races=counted_races,
        wrong_players=sum(found.get(player) != amount for player, amount in parts.items()),
        kills=stack.kills,
        seconds=round(seconds, 1),
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deliveries", type=int, default=100_000)
    parser.add_argument("--races", type=int, default=70_000, help="different ones among them")
    options = parser.parse_args()
    if not 0 < options.races <= options.deliveries:
        parser.error("--races must be at least 1 and at most --deliveries")
    return options


if __name__ == "__main__":
    asked = _options()
    with TemporaryDirectory() as place:
        print(prove(Path(place), asked.deliveries, asked.races, 1.0))  # noqa: T201 - the answer
