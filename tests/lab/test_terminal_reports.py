"""The reports of the terminal lab, line by line, from given measurements."""

from dataclasses import replace

import pytest

from lab.terminal.board_client import Timing
from lab.terminal.naive import NaiveMeasurement, naive_report
from lab.terminal.partitioned import (
    Expected,
    PartitionedMeasurement,
    partitioned_report,
)
from lab.terminal.plan import KNOWN, TOP_K, WINDOW, Place, differences, make_plan, truth_of
from lab.terminal.report_lines import KeyHits, says_fail
from lab.terminal.setup import ServerFacts, setup_report
from workload.assumptions import Assumptions
from workload.model import TrafficModel

MODEL = TrafficModel(Assumptions())
GLOBAL = "lb:global:all:s1"
WRITES = Timing((0.001, 0.002, 0.003) * 1_000, 2.0)
READS = Timing((0.0005,) * 120, 0.06)
NAIVE = NaiveMeasurement(12_000, WRITES, READS, KeyHits({GLOBAL: 3_000}), KeyHits({GLOBAL: 120}))
SMALL_PRINT = [
    "Local figures: this machine and a synthetic workload, LEDGER=none; not production capacity.",
    "Without a ledger, because they are about what a key costs, not about a durable write.",
    "Projected figures: from the scenario assumptions, not measured.",
]
PLAN = make_plan(Assumptions())
TRUTH = truth_of(PLAN)
SAMPLE = tuple(TRUTH.place(one.partition, one.player, WINDOW) for one in PLAN.sample())
PARTITIONED = PartitionedMeasurement(
    write_timing=WRITES,
    write_hits=KeyHits(PLAN.writes_per_partition()),
    top=TRUTH.top(TOP_K),
    candidates=120,
    fan_out=12,
    sample=SAMPLE,
)
EXPECTED = Expected(
    writes_per_key=PLAN.writes_per_partition(),
    top=TRUTH.top(TOP_K),
    sample=SAMPLE,
    known=True,
)


def _partitioned(measured: PartitionedMeasurement, expected: Expected = EXPECTED) -> list[str]:
    return partitioned_report(measured, expected, MODEL, "none")


def _with(at: int, **change: object) -> tuple[Place, ...]:
    """The sample with one wrong place."""
    wrong = replace(SAMPLE[at], **change)  # type: ignore[arg-type]  # a table of fields
    return (*SAMPLE[:at], wrong, *SAMPLE[at + 1 :])


def _failures(lines: list[str]) -> list[str]:
    return [line for line in lines if says_fail([line])]


def test_setup_tells_a_redis_server_by_its_tag() -> None:
    """A Redis server's version is its own."""
    facts = ServerFacts(
        ping=True, server="redis", version="8.10.1", redis_version="8.10.1", redis_py="8.1.0"
    )

    assert setup_report(facts) == [
        "Redis ping: True",
        "Redis image: redis:8.10.1, as read from the server",
        "redis-py version: 8.1.0",
    ]


def test_setup_does_not_pass_valkey_off_as_redis() -> None:
    """A Valkey server is named, with the Redis version that it speaks; a lost ping fails."""
    facts = ServerFacts(
        ping=False, server="valkey", version="9.1.2", redis_version="7.2.4", redis_py="8.1.0"
    )

    assert setup_report(facts) == [
        "Redis ping: False - FAIL",
        "Redis image: valkey:9.1.2 (redis_version 7.2.4), as read from the server",
        "redis-py version: 8.1.0",
    ]


def test_the_naive_report_is_these_lines() -> None:
    """Every label and figure, in order."""
    assert naive_report(NAIVE, MODEL, "none") == [
        "NAIVE GLOBAL LEADERBOARD",
        "Players loaded: 12,000",
        "Writes measured: 3,000",
        "Unique write keys: 1",
        "Hottest write-key share: 100.0%",
        "Unique read keys: 1",
        "Local measured writes/s: 1,500",
        "Write p50: 2.000 ms over HTTP",
        "Write p95: 3.000 ms over HTTP",
        "Read p50: 0.500 ms over HTTP",
        "Read p95: 0.500 ms over HTTP",
        "Projected peak writes sent to this one key: 240,000/s",
        "Designed obstacle: PASS - one key receives every write",
        *SMALL_PRINT,
    ]


@pytest.mark.parametrize(
    ("hits", "problem"),
    [
        ({GLOBAL: 2_999, "lb:eu:solo:s1": 1}, "2 keys received writes"),
        ({GLOBAL: 2_999}, "the service counted 2,999 of 3,000 writes"),
        ({}, "0 keys received writes; the service counted 0 of 3,000 writes"),
    ],
)
def test_the_obstacle_needs_one_key_and_all_writes(hits: dict[str, int], problem: str) -> None:
    """A share of 100 % of too few writes is no pass."""
    lines = naive_report(replace(NAIVE, write_hits=KeyHits(hits)), MODEL, "none")

    assert [f"Designed obstacle: FAIL - {problem}"] == _failures(lines)


def test_the_partitioned_report_is_these_lines() -> None:
    """Every label, figure and known answer, in order."""
    assert _partitioned(PARTITIONED) == [
        "PARTITIONED LEADERBOARD",
        "Active keys touched: 12",
        "Hottest write-key share: 10.0%",
        "Local measured writes/s: 1,500",
        "Write p50: 2.000 ms over HTTP",
        "Write p95: 3.000 ms over HTTP",
        "Projected average writes/partition/s: 20,000",
        "Projected hot writes/partition/s: 40,000",
        "Global top-K candidate count: 120",
        "Exact-rank partition fan-out: 12",
        "Target score: 660",
        "Exact competition rank: 11,208",
        (
            "Partition-local around-me sample: [('player-05370', 679.0), "
            "('player-11778', 662.0), ('player-00042', 660.0), ('player-00318', 622.0), "
            "('player-08406', 619.0)]"
        ),
        "Partition distribution: PASS",
        "Global top-K proof: PASS",
        "Exact global rank proof: PASS",
        "Partition-local around-me proof: PASS",
        "Known answers: PASS",
        (
            "Cost of an exact global rank: it reads every partition, "
            "so it needs a rate limit and an objective of its own."
        ),
        *SMALL_PRINT,
    ]


def test_a_key_without_its_writes_fails_the_distribution() -> None:
    """Eleven keys are too few even when every write is counted."""
    hits = dict(PLAN.writes_per_partition())
    moved = hits.pop("lb:eu:solo:s1")
    hits["lb:eu:duo:s1"] += moved
    lines = _partitioned(replace(PARTITIONED, write_hits=KeyHits(hits)))

    distribution, known = _failures(lines)
    assert distribution.startswith("Partition distribution: FAIL - 11 of 12 keys received writes")
    assert "the service counted 0 writes on lb:eu:solo:s1" in distribution
    assert known.startswith("Known answers: FAIL - hottest share is ")


@pytest.mark.parametrize(
    ("change", "labels"),
    [
        ({"top": TRUTH.top(TOP_K)[::-1]}, ["Global top-K proof"]),
        ({"sample": _with(0, rank=11_209)}, ["Exact global rank proof", "Known answers"]),
        ({"sample": _with(0, score=661)}, ["Exact global rank proof", "Known answers"]),
        ({"sample": _with(90, rank=1)}, ["Exact global rank proof"]),
        ({"sample": _with(0, around=())}, ["Partition-local around-me proof", "Known answers"]),
        ({"sample": _with(90, around=())}, ["Partition-local around-me proof"]),
        ({"candidates": 119}, ["Known answers"]),
        ({"fan_out": 11}, ["Known answers"]),
    ],
)
def test_every_wrong_answer_fails_its_proof(change: dict[str, object], labels: list[str]) -> None:
    """A wrong answer is told beside the right one."""
    failures = _failures(_partitioned(replace(PARTITIONED, **change)))  # type: ignore[arg-type]  # a table of fields

    assert labels == [line.partition(":")[0] for line in failures]


def test_a_failed_proof_shows_the_first_wrong_answer() -> None:
    """The answer stands beside the truth, with how many differ."""
    (line,) = _failures(_partitioned(replace(PARTITIONED, sample=_with(90, rank=1, score=2))))
    right = SAMPLE[90]

    assert line == (
        f"Exact global rank proof: FAIL - 1 of 91 answers differ, first: ('{right.player}', 2, 1), "
        f"the truth is ('{right.player}', {right.score}, {right.rank})"
    )


def test_other_partitions_have_no_known_answers() -> None:
    """With other partitions the truth is still checked, the documented answers are not."""
    lines = _partitioned(replace(PARTITIONED, fan_out=6), replace(EXPECTED, known=False))

    assert [] == _failures(lines)
    assert any(line.startswith("Known answers: not compared") for line in lines)


def test_differences_name_the_answer() -> None:
    """A changed answer is named with both values."""
    found = replace(KNOWN, rank=1, hottest_share="8.3%")

    assert ["hottest share is 8.3%, known is 10.0%", "rank is 1, known is 11208"] == list(
        differences(found, KNOWN)
    )
