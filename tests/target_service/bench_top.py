"""What the global top costs Redis at several request rates, live and materialised.

The long form:

    .venv/bin/python tests/target_service/bench_top.py --seconds 10 --workers 2

Commands are counted by the server itself (INFO commandstats); the yardstick is the live top.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

import httpx
from durable_service import Durable, durable_service
from leaderboard_client import PARTITIONS
from valkey_process import ValkeyProcess

PLAYERS = 12_000
RATES = (0, 50, 200)
ASKERS = 4


def reads(durable: Durable) -> tuple[int, int]:
    """The range reads that the server has run, and the microseconds it took for them."""
    stats = durable.redis.info("commandstats").get("cmdstat_zrevrange", {})
    return int(stats.get("calls", 0)), int(stats.get("usec", 0))


def ask(durable: Durable, per_second: float, seconds: float) -> int:
    """Ask for the top at an even rate, and return how often it was answered."""
    answered = 0
    started = time.monotonic()
    with httpx.Client(base_url=durable.http.base_url, timeout=30) as http:
        while (now := time.monotonic()) < started + seconds:
            due = started + answered / per_second if per_second else started + seconds
            if due > now:
                time.sleep(min(due, started + seconds) - now)
                continue
            http.get("/v1/top").raise_for_status()
            answered += 1
    return answered


def measure(durable: Durable, top: str, seconds: float) -> None:
    """Print a line for each rate."""
    for at, partition in enumerate(PARTITIONS):
        scores = {f"p-{n}": n * 7919 % 10_007 for n in range(at, PLAYERS, 12)}
        durable.load(scores, partition)
    for rate in RATES:
        (calls, worked_us), started = reads(durable), time.monotonic()
        with ThreadPoolExecutor(ASKERS) as askers:
            answered = sum(
                askers.map(lambda _, rate=rate: ask(durable, rate / ASKERS, seconds), range(ASKERS))
            )
        took_seconds = time.monotonic() - started
        (calls_after, worked_after_us) = reads(durable)
        sys.stdout.write(
            f"{top:13}{answered / took_seconds:>8.0f} requests/s"
            f"{(calls_after - calls) / took_seconds:>9.1f} ZREVRANGE/s"
            f"{(worked_after_us - worked_us) / took_seconds:>9.0f} us of the server a second\n"
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for top in ("live", "materialised"):
        with tempfile.TemporaryDirectory() as folder:
            valkey = ValkeyProcess(Path(folder))
            valkey.start()
            try:
                with durable_service(
                    "partitioned",
                    valkey,
                    Path(folder),
                    HOTBOARD_TOP=top,
                    HOTBOARD_WORKERS=str(options.workers),
                    PROMETHEUS_MULTIPROC_DIR=f"{folder}/counts",
                ) as durable:
                    measure(durable, top, options.seconds)
            finally:
                valkey.stop()


if __name__ == "__main__":
    main()
