"""`naive`: load, write and read on the one global key, report."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.terminal.bench import LEDGER, Workbench
from lab.terminal.board_client import Timing
from lab.terminal.plan import PLAYERS, make_plan
from lab.terminal.report_lines import KeyHits, measured_here, verdict_line
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


def naive(workbench: Workbench) -> list[str]:
    """Report which keys the plan's requests hit, and how long they took."""
    plan = make_plan(workbench.assumptions)
    with workbench.bench("naive") as bench:
        bench.load(plan)
        write_timing, write_hits = bench.write(plan)
        read_timing, read_hits = bench.read(plan)
    measured = NaiveMeasurement(PLAYERS, write_timing, read_timing, write_hits, read_hits)
    return naive_report(measured, workbench.model, LEDGER)
