import csv
import json
from pathlib import Path
from typing import Any

import pytest

from locustfiles.recording.key_counters import (
    Hits,
    HotKey,
    has_restarted,
    hits_between,
    hot_keys,
    read_hits,
    read_ledger_buckets,
    read_snapshot,
)

PAGE = b"""# HELP leaderboard_key_ops_total Hits.
# TYPE leaderboard_key_ops_total counter
leaderboard_key_ops_total{key="lb:eu:duo:s1",op="read"} 3.0
leaderboard_key_ops_total{key="lb:eu:duo:s1",op="write"} 5.0
leaderboard_key_ops_total{op="write",key="{lb:x}:1"} 1e+03
# TYPE leaderboard_key_op_duration_seconds histogram
leaderboard_key_op_duration_seconds_bucket{key="lb:eu:duo:s1",le="0.0001",op="write"} 2.0
leaderboard_key_op_duration_seconds_bucket{key="lb:eu:duo:s1",le="2.5",op="write"} 5.0
leaderboard_key_op_duration_seconds_bucket{key="lb:eu:duo:s1",le="+Inf",op="write"} 5.0
leaderboard_key_op_duration_seconds_count{key="lb:eu:duo:s1",op="write"} 5.0
leaderboard_key_op_duration_seconds_sum{key="lb:eu:duo:s1",op="write"} 0.25
leaderboard_key_members_written_total{key="lb:eu:duo:s1"} 1005.0
leaderboard_board_members{key="lb:eu:duo:s1"} 1000.0
leaderboard_http_request_duration_seconds_sum{route="submit",method="POST",code="200"} 1.0
"""
NOT_A_NUMBER = b'leaderboard_board_members{key="lb:eu:duo:s1"} NaN'
NAMES = (
    "leaderboard_key_ops_total",
    "leaderboard_key_members_written_total",
    "leaderboard_board_members",
    "leaderboard_key_op_duration_seconds_sum",
    "leaderboard_key_op_duration_seconds_bucket",
)


def test_hits_are_read_by_key_and_op() -> None:
    """Labels in any order, keys with braces, numbers in any notation."""
    assert {
        "lb:eu:duo:s1": {"read": 3, "write": 5},
        "{lb:x}:1": {"write": 1000},
    } == read_hits(PAGE)


def test_a_snapshot_holds_all_that_is_known_of_a_key() -> None:
    """Counters, buckets and sums stay as the service shows them: since its start."""
    found = read_snapshot(PAGE)

    assert {
        "read": {"hits": 3, "buckets": [], "sum": 0.0},
        "write": {
            "hits": 5,
            "buckets": [[0.0001, 2], [2.5, 5], ["+Inf", 5]],
            "sum": 0.25,
            "members_written": 1005,
        },
        "members": 1000,
    } == found["lb:eu:duo:s1"]
    assert {"lb:eu:duo:s1", "{lb:x}:1"} == set(found)


def test_only_what_moved_is_a_hit_of_a_second() -> None:
    """A key that appears has all its hits in that second."""
    before = {"a": {"read": 1, "write": 2}, "b": {"read": 9}}
    after = {"a": {"read": 1, "write": 5}, "b": {"read": 9}, "c": {"write": 4}}

    assert {"a": {"write": 3}, "c": {"write": 4}} == hits_between(before, after)


def test_a_count_that_is_not_known_is_none() -> None:
    """A service whose Redis is gone says NaN of its boards, and its hits are still counted."""
    page = PAGE.replace(b'leaderboard_board_members{key="lb:eu:duo:s1"} 1000.0', NOT_A_NUMBER)
    found = read_snapshot(page)

    assert NOT_A_NUMBER in page
    assert None is found["lb:eu:duo:s1"]["members"]
    assert 5 == found["lb:eu:duo:s1"]["write"]["hits"]


@pytest.mark.parametrize("value", ["NaN", "+Inf", "-Inf", "1e999", "-5", "many", "{"])
def test_samples_that_are_no_count_are_left_out(value: str) -> None:
    """Whatever a page says, reading it does not end the watch."""
    page = "\n".join(
        f"{name}{{{labels}}} {value}"
        for name in NAMES
        for labels in ('key="k",op="read",le="1"', 'key="k",op="read",le="wide"', 'op="read"', "")
    ).encode()

    assert {} == read_hits(page)
    assert {} == read_snapshot(page)


def test_a_service_that_was_started_again_counts_from_zero() -> None:
    """A count that went back is what came since, and never a negative number of hits."""
    before = {"a": {"read": 100, "write": 7}}
    after = {"a": {"read": 3, "write": 0}}

    assert {"a": {"read": 3}} == hits_between(before, after)


@pytest.mark.parametrize(
    ("before", "after", "back"),
    [
        ({"a": {"read": 5}}, {"a": {"read": 5}}, False),
        ({"a": {"read": 5}}, {"a": {"read": 4}}, True),
        ({"a": {"read": 5}}, {"b": {"read": 9}}, True),
        ({}, {"a": {"read": 0}}, False),
    ],
)
def test_a_lower_or_missing_count_has_restarted(before: Hits, after: Hits, back: bool) -> None:
    """A counter of a process only rises."""
    assert back == has_restarted(before, after)


def test_commits_of_the_ledger_are_read_by_bucket() -> None:
    """As the service shows them; a service without a ledger has none."""
    page = b"""# TYPE leaderboard_ledger_commit_duration_seconds histogram
leaderboard_ledger_commit_duration_seconds_bucket{le="0.001"} 4.0
leaderboard_ledger_commit_duration_seconds_bucket{le="+Inf"} 7.0
leaderboard_ledger_commit_duration_seconds_count 7.0
"""

    assert [[0.001, 4], ["+Inf", 7]] == read_ledger_buckets(page)
    assert read_ledger_buckets(PAGE) == []


def test_a_word_of_megabytes_where_labels_should_be_holds_up_nothing() -> None:
    """It is looked at once, and not again from each of its characters."""
    page = b"leaderboard_key_ops_total{" + b"a" * 2_000_000 + b"} 1\n" + PAGE

    assert read_hits(PAGE) == read_hits(page)


def test_commit_times_that_are_no_numbers_are_ignored() -> None:
    """A foreign service may show anything."""
    name = b"leaderboard_ledger_commit_duration_seconds_bucket"
    page = b"".join(
        name + b'{le="' + bound + b'"} ' + count + b"\n"
        for bound, count in [(b"0.1", b"NaN"), (b"x", b"1"), (b"1e", b"1"), (b"0.5", b"3.0")]
    )

    assert [[0.5, 3]] == read_ledger_buckets(page)


GOLDEN = Path(__file__).resolve().parents[2] / "reports" / "golden"


def counters(hits: int, written: int = 0, *buckets: list[Any]) -> dict[str, Any]:
    """One op of a key in a snapshot."""
    return {"hits": hits, "members_written": written, "buckets": list(buckets)}


@pytest.mark.parametrize("run", ["naive", "partitioned"])
def test_the_figures_are_those_of_the_report(run: str) -> None:
    """Of the same counters, every row has the hits, share and heat of keys.csv."""
    raw = json.loads((GOLDEN / run / "raw" / "measurements.json").read_text())["keys"]
    found = hot_keys(raw["start"]["keys"], raw["end"]["keys"], 1 / 12)
    with (GOLDEN / run / "derived" / "keys.csv").open(newline="") as lines:
        rows = {(row["key"], row["op"]): row for row in csv.DictReader(lines) if row["hits"] != "0"}

    assert set(rows) == {(one.key, one.op) for one in found}
    for one in found:
        row = rows[one.key, one.op]
        assert int(row["hits"]) == one.hits
        assert float(row["share"]) == pytest.approx(one.share, abs=1e-6)
        assert float(row["heat"]) == pytest.approx(one.heat, abs=1e-6)
        assert float(row["fair_share"]) == pytest.approx(one.fair_share, abs=1e-6)
        assert row["p99_ms"] == "" or one.p99_seconds is not None


def test_writes_come_first_and_the_hottest_on_top() -> None:
    """Writes weigh by members, so the key with fewer hits can be the hotter one."""
    now = {
        "a": {"write": counters(10, 10), "read": counters(5)},
        "b": {"write": counters(1, 30), "read": counters(15)},
        "idle": {"write": counters(0, 0)},
    }
    found = [(one.key, one.op, one.share) for one in hot_keys({}, now, 1 / 12)]

    assert [
        ("b", "write", 0.75), ("a", "write", 0.25), ("b", "read", 0.75), ("a", "read", 0.25),
    ] == found  # fmt: skip


def test_the_quantile_is_interpolated_since_the_start() -> None:
    """Of 1,000 in the second bucket the slowest in a hundred lies at its 99th hundredth."""
    start = {"a": {"read": counters(7, 0, [0.1, 7], [0.2, 7], ["+Inf", 7])}}
    now = {"a": {"read": counters(1007, 0, [0.1, 7], [0.2, 1007], ["+Inf", 1007])}}
    (found,) = hot_keys(start, now, 1 / 12)

    assert 1000 == found.hits
    assert pytest.approx(0.199) == found.p99_seconds


@pytest.mark.parametrize(
    ("buckets", "seconds"),
    [
        ([[0.1, 99], ["+Inf", 99]], None),
        ([[0.1, 0], ["+Inf", 1000]], 0.1),
        ([], None),
    ],
    ids=["too few samples", "above the last bound", "no buckets"],
)
def test_a_quantile_that_is_not_known(buckets: list[Any], seconds: float | None) -> None:
    """Nothing rather than a guess; beyond the last bound, that bound."""
    (found,) = hot_keys({}, {"a": {"read": counters(1000, 0, *buckets)}}, 1 / 12)

    assert seconds == found.p99_seconds


def test_a_share_of_nothing_is_none() -> None:
    """A service that counts no members has hits and no share of writes."""
    (found,) = hot_keys({}, {"a": {"write": counters(3)}}, 1 / 12)

    assert HotKey("a", "write", 3, None, 1 / 12, None) == found
    assert found.heat is None
