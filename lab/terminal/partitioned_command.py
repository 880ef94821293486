"""`partitioned`: the same plan on one key for each partition, checked against the truth."""

from typing import Any

from lab.terminal.bench import LEDGER, Bench
from lab.terminal.key_hits import hits_between
from lab.terminal.partitioned_report import (
    Expected,
    PartitionedMeasurement,
    partitioned_report,
)
from lab.terminal.plan import TOP_K, WINDOW, Plan, make_plan
from lab.terminal.truth import Standing, truth_of
from lab.terminal.workbench import Workbench
from workload.assumptions import Assumptions
from workload.partitions import partition_keys


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
    rank = client.rank(plan.target)
    fan_out = hits_between(before, client.metrics(), "read")
    return PartitionedMeasurement(
        write_timing=write_timing,
        write_hits=write_hits,
        top=_standings(top),
        candidates=top["candidates"],
        fan_out=len(fan_out.by_key),
        score=rank["score"],
        rank=rank["rank"],
        around=_standings(client.around(plan.target, WINDOW)),
    )


def _expected(plan: Plan) -> Expected:
    truth = truth_of(plan)
    partition, player = plan.target.partition, plan.target.player
    return Expected(
        writes_per_key=plan.writes_per_partition(),
        top=truth.top(TOP_K),
        score=truth.partitions[partition][player],
        rank=truth.competition_rank(truth.partitions[partition][player]),
        around=truth.around(partition, player, WINDOW),
        known=plan.dataset.keys == partition_keys(Assumptions()),
    )


def _standings(answer: dict[str, Any]) -> tuple[Standing, ...]:
    return tuple((entry["player"], entry["score"]) for entry in answer["entries"])
