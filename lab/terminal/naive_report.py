"""The naive report: every write on one key."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.terminal.key_hits import KeyHits
from lab.terminal.small_print import measured_here
from lab.terminal.timing import Timing
from lab.terminal.verdict_line import verdict_line
from workload.model import TrafficModel


@dataclass(frozen=True)
class NaiveMeasurement:
    """What was sent, how long it took, and which keys the service counted for it."""

    players: int
    write_timing: Timing
    read_timing: Timing
    write_hits: KeyHits
    read_hits: KeyHits


def naive_report(measured: NaiveMeasurement, model: TrafficModel, ledger: str) -> list[str]:
    """Write the report; the obstacle is there when one key took all the writes sent."""
    writes, reads = measured.write_timing, measured.read_timing
    return [
        "NAIVE GLOBAL LEADERBOARD",
        f"Players loaded: {measured.players:,}",
        f"Writes measured: {len(writes.request_seconds):,}",
        f"Unique write keys: {len(measured.write_hits.by_key)}",
        f"Hottest write-key share: {measured.write_hits.hottest_share:.1%}",
        f"Unique read keys: {len(measured.read_hits.by_key)}",
        f"Local measured writes/s: {writes.per_second:,.0f}",
        writes.line("Write", 0.50),
        writes.line("Write", 0.95),
        reads.line("Read", 0.50),
        reads.line("Read", 0.95),
        f"Projected peak writes sent to this one key: {model.score_updates_per_second:,}/s",
        verdict_line(
            "Designed obstacle", _problems(measured), passed="one key receives every write"
        ),
        *measured_here(ledger),
    ]


def _problems(measured: NaiveMeasurement) -> Iterator[str]:
    keys = len(measured.write_hits.by_key)
    sent, counted = len(measured.write_timing.request_seconds), measured.write_hits.total
    if keys != 1:
        yield f"{keys} keys received writes"
    if counted != sent:
        yield f"the service counted {counted:,} of {sent:,} writes"
