"""The derived tables: the golden run, rows that add up, cells that stay empty."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_plan import Plan
from made_runs import make_run

from reports.cli import main
from reports.derived import Derived, derive
from reports.numbers.rounding import written
from reports.rundir.reading import read_run

GOLDEN = Path(__file__).parent / "golden"
DERIVED = ("operations.csv", "keys.csv", "timeline.csv", "key_timeline.csv", "failures.csv")


def _derived(parent: Path, plan: Plan) -> Derived:
    return derive(read_run(make_run(parent, plan)))


def _column(derived: Derived, table: str, column: str) -> list[Any]:
    return [record[column] for record in derived.tables[table].records()]


@pytest.mark.parametrize("name", ["naive", "partitioned"])
def test_the_golden_run_gives_the_golden_tables(name: str, tmp_path: Path) -> None:
    """The same raw files give the same CSV files and run.json, byte for byte."""
    run = tmp_path / name
    shutil.copytree(GOLDEN / name / "raw", run)
    main(["tables", str(run)])

    for expected in sorted((GOLDEN / name / "derived").iterdir()):
        assert expected.read_text() == (run / expected.name).read_text(), expected.name


def test_deriving_twice_changes_nothing(tmp_path: Path) -> None:
    """A derived run derives to the same files again."""
    run = make_run(tmp_path, Plan())
    main(["tables", str(run)])
    first = {name: (run / name).read_bytes() for name in (*DERIVED, "run.json")}
    main(["tables", str(run)])

    assert first == {name: (run / name).read_bytes() for name in first}


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    seed=st.integers(0, 1000),
    scale=st.sampled_from([0.00001, 0.0001, 0.0007]),
    seconds=st.integers(1, 8),
    failing=st.none() | st.just((0.5, 2.0)),
    mode=st.sampled_from(["naive", "partitioned"]),
)
def test_rows_add_up(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    scale: float,
    seconds: int,
    failing: tuple[float, float] | None,
    mode: str,
) -> None:
    """Seconds add up to operations, operations to all, shares to one, hits to the key's hits."""
    plan = Plan(mode=mode, seed=seed, scale=scale, duration_seconds=seconds, failing=failing)
    derived = _derived(tmp_path_factory.mktemp("runs"), plan)
    operations = derived.tables["operations.csv"].records()
    timeline = derived.tables["timeline.csv"].records()

    for row in [*operations, *timeline]:
        assert row["offered"] == _sum(row, "sent", "dropped")
        assert row["sent"] == _sum(row, "ok", "failed")
    for column in ("offered", "sent", "dropped", "ok", "failed", "completed"):
        assert operations[-1][column] == sum(_number(row[column]) for row in operations[:-1])
        assert operations[-1][column] == sum(_number(row[column]) for row in timeline)
    for share in ("share", "model_share"):
        shares = [_number(row[share]) for row in operations[:-1]]
        assert sum(shares) == pytest.approx(1 if any(shares) else 0)
    for op in ("read", "write"):
        keys = [row for row in derived.tables["keys.csv"].records() if row["op"] == op]
        assert len(plan.keys) == len(keys)
        for key in keys:
            assert key["hits"] == sum(
                _number(row["hits"])
                for row in derived.tables["key_timeline.csv"].records()
                if (row["key"], row["op"]) == (key["key"], op)
            )


def _sum(row: dict[str, Any], *columns: str) -> float:
    return sum(_number(row[column]) for column in columns)


def _number(cell: float | str | None) -> float:
    return cell if isinstance(cell, int | float) else 0


def test_rates_and_shares_are_of_the_measured_phase(tmp_path: Path) -> None:
    """Rates divide by the measured seconds; achieved leaves out what arrived in the drain."""
    run = make_run(tmp_path, Plan(duration_seconds=10))
    content = json.loads((run / "measurements.json").read_text())
    content["operations"]["submit"]["achieved"] = 2300
    (run / "measurements.json").write_text(json.dumps(content))
    rows = {
        row["operation"]: row for row in derive(read_run(run)).tables["operations.csv"].records()
    }

    assert (240.0, 240.0, 230.0) == tuple(
        rows["submit"][name]
        for name in ("model_per_second", "offered_per_second", "achieved_per_second")
    )
    assert rows["submit"]["share"] == 2300 / (2300 + 250 + 750)
    assert rows["top"]["model_share"] == 25 / 340


def test_a_stall_is_a_hole_in_completions(tmp_path: Path) -> None:
    """While the service stands still nothing completes, and response time tells it."""
    derived = _derived(tmp_path, Plan(duration_seconds=12, stall=(5.0, 2.0)))
    submit = [
        row for row in derived.tables["timeline.csv"].records() if row["operation"] == "submit"
    ]
    operation = derived.tables["operations.csv"].records()[0]

    assert submit[6]["completed"] == 0
    assert [240, 240] == [row["offered"] for row in submit[5:7]]
    assert _number(operation["p99_ms"]) > 1000
    assert _number(operation["service_p50_ms"]) < 5


def test_drain_seconds_offer_nothing(tmp_path: Path) -> None:
    """Answers that arrive after the measured phase have rows of their own, with offered 0."""
    derived = _derived(tmp_path, Plan(duration_seconds=6, stall=(4.0, 2.0)))
    drain = [row for row in derived.tables["timeline.csv"].records() if _number(row["second"]) > 5]

    assert drain
    assert {0} == {row["offered"] for row in drain}
    assert all(row["p50_ms"] is None and row["max_ms"] is None for row in drain)


def test_quiet_seconds_have_rows(tmp_path: Path) -> None:
    """At a rate below one a second the timeline still has every second."""
    derived = _derived(tmp_path, Plan(scale=0.000001, duration_seconds=5))

    assert [0, 1, 2, 3, 4] == sorted(set(_column(derived, "timeline.csv", "second")))


def test_a_naive_run_is_twelve_times_too_hot(tmp_path: Path) -> None:
    """One key that does the work of twelve has share 1 and heat 12."""
    derived = _derived(tmp_path, Plan(mode="naive"))

    assert [1.0, 1.0] == _column(derived, "keys.csv", "share")
    assert [12.0, 12.0] == _column(derived, "keys.csv", "heat")
    assert [None, 4800] == _column(derived, "keys.csv", "members_written")
    assert derived.skew is not None
    assert {
        "hottest_key": "lb:global:all:s1",
        "hottest_share": 1.0,
        "effective_keys": 1.0,
        "keys_touched": 1,
        "fair_share": 0.083333,
    } == derived.skew["write"]


def test_skew_repeats_the_tables(tmp_path: Path) -> None:
    """The skew in run.json is the hottest row of keys.csv, to the last digit."""
    run = make_run(tmp_path, Plan())
    main(["tables", str(run)])
    skew = json.loads((run / "run.json").read_text())["skew"]
    with (run / "keys.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["op"] == "write"]
    hottest = max(rows, key=lambda row: int(row["members_written"]))

    assert (hottest["key"], float(hottest["share"])) == (
        skew["write"]["hottest_key"],
        skew["write"]["hottest_share"],
    )
    assert skew["write"]["effective_keys"] > 11.9


def test_failures_are_listed_with_their_seconds(tmp_path: Path) -> None:
    """Each operation and kind has one row that says when it began and ended."""
    derived = _derived(tmp_path, Plan(failing=(3, 5), failure_kind="timeout"))

    assert ("submit", "timeout", 480, 3, 4) == next(iter(derived.tables["failures.csv"].rows))


def test_a_cluster_run_has_shards(tmp_path: Path) -> None:
    """Shards sum up the keys they serve; without shards there is no such table."""
    run = make_run(tmp_path, Plan())
    content = json.loads((run / "measurements.json").read_text())
    keys = list(content["keys"]["end"]["keys"])
    content["shards"] = [
        {"shard": "127.0.0.1:7001", "keys": keys[:9], "cpu_seconds": 4.5},
        {"shard": "127.0.0.1:7002", "keys": keys[9:]},
    ]
    assert "shards.csv" not in derive(read_run(run)).tables
    (run / "measurements.json").write_text(json.dumps(content))
    shards = derive(read_run(run)).tables["shards.csv"].records()

    assert [9, 3] == [row["keys"] for row in shards]
    assert [4.5, None] == [row["cpu_seconds"] for row in shards]
    assert sum(_number(row["members_written"]) for row in shards) == 4800
    assert sum(_number(row["share"]) for row in shards) == pytest.approx(1)


def test_counters_that_went_backwards_are_not_used(tmp_path: Path) -> None:
    """A restarted service leaves the keys unknown instead of a made-up difference."""
    run = make_run(tmp_path, Plan(mode="naive"))
    content = json.loads((run / "measurements.json").read_text())
    content["keys"]["end"]["keys"]["lb:global:all:s1"]["write"]["hits"] = 3
    (run / "measurements.json").write_text(json.dumps(content))
    derived = derive(read_run(run))

    assert derived.skew is None
    assert derived.tables["keys.csv"].rows == ()
    assert derived.traffic.reason is not None
    assert "went backwards" in derived.traffic.reason


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (0, "0"),
        (0.0, "0"),
        (1 / 3, "0.333333"),
        (240.0, "240"),
        (1e-9, "0"),
        ("a", "a"),
    ],
)
def test_cells_are_written_plainly(cell: float | str | None, text: str) -> None:
    """No exponent, no trailing zero, and nothing at all for what was not measured."""
    assert text == written(cell)
