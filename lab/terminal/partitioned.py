"""`partitioned`: the same plan on one key for each partition, checked against the truth."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lab.terminal.bench import LEDGER, Bench, Workbench, progress
from lab.terminal.board_client import BoardClient, Timing
from lab.terminal.plan import (
    KNOWN,
    TOP_K,
    WINDOW,
    Answers,
    Place,
    Plan,
    Standing,
    differences,
    make_plan,
    truth_of,
)
from lab.terminal.report_lines import KeyHits, hits_between, measured_here, verdict_line
from workload.assumptions import Assumptions
from workload.dataset import Entry
from workload.model import TrafficModel, partition_keys

_COST: Final = (
    "Cost of an exact global rank: it reads every partition, "
    "so it needs a rate limit and an objective of its own."
)


@dataclass(frozen=True)
class PartitionedMeasurement:
    """The writes with the keys they hit, and the answers afterwards, the target's place first."""

    write_timing: Timing
    write_hits: KeyHits
    top: tuple[Standing, ...]
    candidates: int
    fan_out: int
    sample: tuple[Place, ...]


@dataclass(frozen=True)
class Expected:
    """What the in-memory truth says; `known` when the partitions are the baseline's."""

    writes_per_key: Mapping[str, int]
    top: tuple[Standing, ...]
    sample: tuple[Place, ...]
    known: bool


def partitioned_report(
    measured: PartitionedMeasurement, expected: Expected, model: TrafficModel, ledger: str
) -> list[str]:
    """Write the report with one verdict for each proof."""
    writes, hits = measured.write_timing, measured.write_hits
    target, answers = measured.sample[0], _answers(measured)
    return [
        "PARTITIONED LEADERBOARD",
        f"Active keys touched: {len(hits.by_key)}",
        f"Hottest write-key share: {answers.hottest_share}",
        f"Local measured writes/s: {writes.per_second:,.0f}",
        writes.line("Write", 0.50),
        writes.line("Write", 0.95),
        f"Projected average writes/partition/s: {model.average_updates_per_partition_per_second:,}",
        f"Projected hot writes/partition/s: {model.hot_updates_per_partition_per_second:,}",
        f"Global top-K candidate count: {measured.candidates}",
        f"Exact-rank partition fan-out: {measured.fan_out}",
        f"Target score: {target.score}",
        f"Exact competition rank: {target.rank:,}",
        f"Partition-local around-me sample: {answers.around}",
        verdict_line("Partition distribution", _distribution(hits, expected)),
        _proof("Global top-K proof", [measured.top], [expected.top]),
        _proof("Exact global rank proof", _ranks(measured.sample), _ranks(expected.sample)),
        _proof("Partition-local around-me proof", _pages(measured.sample), _pages(expected.sample)),
        _known_line(answers, expected),
        _COST,
        *measured_here(ledger),
    ]


def _distribution(hits: KeyHits, expected: Expected) -> Iterator[str]:
    """Every partition's key took exactly the updates of its players."""
    if len(hits.by_key) != len(expected.writes_per_key):
        yield f"{len(hits.by_key)} of {len(expected.writes_per_key)} keys received writes"
    for key in sorted({*hits.by_key, *expected.writes_per_key}):
        counted, sent = hits.by_key.get(key, 0), expected.writes_per_key.get(key, 0)
        if counted != sent:
            yield f"the service counted {counted:,} writes on {key}, {sent:,} were sent"


def _ranks(sample: Sequence[Place]) -> list[object]:
    return [(place.player, place.score, place.rank) for place in sample]


def _pages(sample: Sequence[Place]) -> list[object]:
    return [(place.player, place.around) for place in sample]


def _proof(label: str, answered: Sequence[object], truth: Sequence[object]) -> str:
    """Compare answer by answer; the first wrong one stands for all."""
    wrong = [pair for pair in zip(answered, truth, strict=True) if pair[0] != pair[1]]
    told = [
        f"{len(wrong)} of {len(truth)} answers differ, first: {answer}, the truth is {right}"
        for answer, right in wrong[:1]
    ]
    return verdict_line(label, told)


def _known_line(answers: Answers, expected: Expected) -> str:
    if not expected.known:
        return "Known answers: not compared, they hold for the baseline's partitions alone"
    return verdict_line("Known answers", differences(answers, KNOWN))


def _answers(measured: PartitionedMeasurement) -> Answers:
    target = measured.sample[0]
    around = [(player, float(score)) for player, score in target.around]
    return Answers(
        hottest_share=f"{measured.write_hits.hottest_share:.1%}",
        candidates=measured.candidates,
        fan_out=measured.fan_out,
        score=target.score,
        rank=target.rank,
        around=str(around),
    )


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
