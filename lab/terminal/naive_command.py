"""`naive`: load, write and read on the one global key, report."""

from lab.terminal.bench import LEDGER
from lab.terminal.naive_report import NaiveMeasurement, naive_report
from lab.terminal.plan import PLAYERS, make_plan
from lab.terminal.workbench import Workbench


def naive(workbench: Workbench) -> list[str]:
    """Report which keys the plan's requests hit, and how long they took."""
    plan = make_plan(workbench.assumptions)
    with workbench.bench("naive") as bench:
        bench.load(plan)
        write_timing, write_hits = bench.write(plan)
        read_timing, read_hits = bench.read(plan)
    measured = NaiveMeasurement(PLAYERS, write_timing, read_timing, write_hits, read_hits)
    return naive_report(measured, workbench.model, LEDGER)
