"""`partitioned`: the same plan on one key for each partition, checked against the truth."""

from typing import Any

from lab.terminal.bench import LEDGER, Bench
from lab.terminal.board_client import BoardClient
from lab.terminal.key_hits import hits_between
from lab.terminal.partitioned_report import (
    Expected,
    PartitionedMeasurement,
    partitioned_report,
)
from lab.terminal.plan import TOP_K, WINDOW, Plan, make_plan
from lab.terminal.progress import progress
from lab.terminal.truth import Place, Standing, truth_of
from lab.terminal.workbench import Workbench
from workload.assumptions import Assumptions
from workload.dataset import Entry
from workload.model import partition_keys


def partitioned(workbench: Workbench) -> list[str]:
    """Report the spread of the writes and whether merged answers are exact."""
    plan = make_plan(workbench.assumptions)
    with workbench.bench("partitioned") as bench:
        measured = _measure(bench, plan)
    return partitioned_report(measured, _expected(plan), workbench.model, LEDGER)


def _measure(bench: Bench, plan: Plan) -> PartitionedMeasurement:
    bench.load(plan)
    write_timing, write_hits = bench.write(plan)
    client = bench.client
    top = client.top(TOP_K)
    before = client.metrics()
    client.rank(plan.target)
    fan_out = hits_between(before, client.metrics(), "read")
    sample = plan.sample()
    progress(f"checking the places of {len(sample)} players")
    return PartitionedMeasurement(
        write_timing=write_timing,
        write_hits=write_hits,
        top=_standings(top),
        candidates=top["candidates"],
        fan_out=len(fan_out.by_key),
        sample=tuple(_place(client, entry) for entry in sample),
    )


def _expected(plan: Plan) -> Expected:
    truth = truth_of(plan)
    return Expected(
        writes_per_key=plan.writes_per_partition(),
        top=truth.top(TOP_K),
        sample=tuple(truth.place(one.partition, one.player, WINDOW) for one in plan.sample()),
        known=plan.dataset.keys == partition_keys(Assumptions()),
    )


def _place(client: BoardClient, entry: Entry) -> Place:
    rank = client.rank(entry)
    return Place(
        entry.player, rank["score"], rank["rank"], _standings(client.around(entry, WINDOW))
    )


def _standings(answer: dict[str, Any]) -> tuple[Standing, ...]:
    return tuple((entry["player"], entry["score"]) for entry in answer["entries"])
