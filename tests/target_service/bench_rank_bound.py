"""Whether bounded ranks are within their bound while everything moves, and how wide it is.

The long form:

    .venv/bin/python tests/target_service/bench_rank_bound.py --checks 10000 --workers 2

The yardstick is every rank there was during the call, replayed from the ledger's file.
"""

import argparse
import random
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

import httpx
from durable_service import Durable, durable_service
from leaderboard_client import PARTITIONS, event, path
from rank_history import Check, RankHistory, changes_of, last_change
from valkey_process import ValkeyProcess

PLAYERS = 12_000
BATCH = 2_000
READERS, WRITERS = 4, 2
SCORES = 10_000


def write(durable: Durable, seed: int, over: threading.Event) -> None:
    """Submit single scores until it is over."""
    rng = random.Random(seed)
    with httpx.Client(base_url=durable.http.base_url, timeout=30) as http:
        while not over.is_set():
            player = rng.randrange(PLAYERS)
            body = event(f"p-{player}", rng.randrange(SCORES), PARTITIONS[player % 12])
            http.post("/v1/scores", json=body).raise_for_status()


def burst(durable: Durable, over: threading.Event) -> None:
    """Submit a large batch now and then, so that workers have something to catch up with."""
    rng = random.Random(99)
    with httpx.Client(base_url=durable.http.base_url, timeout=30) as http:
        while not over.wait(0.2):
            at = rng.randrange(12)
            players = [f"p-{12 * rng.randrange(PLAYERS // 12) + at}" for _ in range(BATCH)]
            columns = {
                "event_id": [uuid4().hex for _ in players],
                "player_id": players,
                "score": [rng.randrange(SCORES) for _ in players],
            }
            http.post(path(PARTITIONS[at], "scores"), json=columns).raise_for_status()


def read(durable: Durable, seed: int, checks: int) -> list[Check]:
    """Ask for bounded ranks, and note the changes there were before and after each."""
    rng = random.Random(seed)
    made = []
    with httpx.Client(base_url=durable.http.base_url, timeout=30) as http:
        for _ in range(checks):
            player = rng.randrange(PLAYERS)
            where = path(PARTITIONS[player % 12], "players", f"p-{player}", "rank")
            before = last_change(durable.ledger)
            answer = http.get(where, params={"consistency": "bounded"}).raise_for_status().json()
            told = (answer["score"], answer["rank"], answer["max_rank_error"], answer["total"])
            made.append(Check(f"p-{player}", before, last_change(durable.ledger), *told))
    return made


def check_all(durable: Durable, checks: int) -> int:
    """Read while others write, print what was found, and return how many were outside."""
    for at, partition in enumerate(PARTITIONS):
        scores = {f"p-{n}": random.Random(n).randrange(SCORES) for n in range(at, PLAYERS, 12)}
        durable.load(scores, partition)
    over = threading.Event()
    first, started = last_change(durable.ledger), time.monotonic()
    with ThreadPoolExecutor(READERS + WRITERS + 1) as pool:
        writers = [pool.submit(write, durable, seed, over) for seed in range(WRITERS)]
        writers.append(pool.submit(burst, durable, over))
        readers = [
            pool.submit(read, durable, 100 + seed, checks // READERS) for seed in range(READERS)
        ]
        made = [check for reader in readers for check in reader.result()]
        over.set()
        for writer in writers:
            writer.result()
    seconds = time.monotonic() - started
    written = last_change(durable.ledger) - first
    outside = RankHistory(changes_of(durable.ledger)).outside(made)
    bounds = sorted(check.at_most for check in made)
    exact = bounds.count(0) / len(bounds)
    moved = sum(check.after > check.before for check in made) / len(made)
    sys.stdout.write(
        f"{len(made):,} bounded ranks while {written / seconds:,.0f} scores a second changed: "
        f"{len(outside)} outside the bound\n"
        f"scores changed during {moved:.0%} of the calls; {exact:.1%} were exact, "
        f"the bound was at most {bounds[-1]:,}, p99 {bounds[len(bounds) * 99 // 100]:,}\n"
    )
    return len(outside)


def main() -> int:
    """Check and print; 1 when an answer was outside its bound."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checks", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        valkey = ValkeyProcess(Path(folder))
        valkey.start()
        try:
            with durable_service(
                "partitioned",
                valkey,
                Path(folder),
                HOTBOARD_WORKERS=str(options.workers),
                PROMETHEUS_MULTIPROC_DIR=f"{folder}/counts",
                HOTBOARD_REDIS_TIMEOUT_SECONDS="5",
            ) as durable:
                return int(check_all(durable, options.checks) > 0)
        finally:
            valkey.stop()


if __name__ == "__main__":
    sys.exit(main())
