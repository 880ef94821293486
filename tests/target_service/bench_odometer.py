"""Polls of a community total per second: projected copies beside reading the hot key each time.

The long form:

    .venv/bin/python tests/target_service/bench_odometer.py --seconds 10 --rounds 5

Reads of the key are the server's own count (HGETALL, which nothing else of the service sends).
Alternating rounds, each mode a service of its own on the same server; medians and their ratio.
"""

import argparse
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from durable_service import durable_service, eventually
from odometer_events import race, settings
from odometer_polls import poll, total_reads
from valkey_process import ValkeyProcess

HOUR_MS = 3_600_000


def measure(valkey: ValkeyProcess, reads: str, options: argparse.Namespace) -> tuple[float, float]:
    """Poll one service; return polls and reads of the key a second."""
    with TemporaryDirectory() as place:
        variables = {"HOTBOARD_ODOMETER_READS": reads}
        if options.workers > 1:
            counts = str(Path(place) / "counts")
            variables |= {"HOTBOARD_WORKERS": str(options.workers)}
            variables |= {"PROMETHEUS_MULTIPROC_DIR": counts}
        with durable_service("naive", valkey, Path(place), **variables) as durable:
            now_ms = time.time_ns() // 1_000_000
            body = settings(now_ms - HOUR_MS, now_ms + HOUR_MS, refresh_ms=options.refresh_ms)
            durable.http.put("/v1/events/e", json=body).raise_for_status()
            durable.http.post("/v1/races", json=race("e", "r", now_ms)).raise_for_status()
            eventually(lambda: durable.redis.hget("odometer:e", "v2") is not None)
            before = total_reads(durable.redis)
            polled = poll(
                durable.service.port,
                "/v2/events/e",
                options.connections,
                lambda _, seconds: seconds >= options.seconds,
            )
            read = total_reads(durable.redis) - before
            durable.redis.flushall()
    return polled.per_second, read / polled.seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--refresh-ms", type=int, default=1_000)
    options = parser.parse_args()
    found: dict[str, list[tuple[float, float]]] = {"direct": [], "projected": []}
    with TemporaryDirectory() as folder:
        valkey = ValkeyProcess(Path(folder))
        valkey.start()
        try:
            for _ in range(options.rounds):
                for reads, rounds in found.items():
                    rounds.append(measure(valkey, reads, options))
        finally:
            valkey.stop()
    for reads, rounds in found.items():
        polls, reads_of_key = (median(column) for column in zip(*rounds, strict=True))
        sys.stdout.write(
            f"{reads:12}{polls:>12,.0f} polls/s{reads_of_key:>12,.1f} reads of the key/s\n"
        )
    ratios = [p[0] / d[0] for d, p in zip(found["direct"], found["projected"], strict=True)]
    sys.stdout.write(
        f"ratio of polls/s, projected to direct: {median(ratios):.2f} "
        f"({min(ratios):.2f} to {max(ratios):.2f}), {options.rounds} rounds\n"
    )


if __name__ == "__main__":
    main()
