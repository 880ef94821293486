"""The figures of the terminal lab: percentiles, the service's counters, verdicts."""

import pytest

from lab.terminal.board_client import Timing, percentile
from lab.terminal.report_lines import KeyHits, hits_between, says_fail, verdict_line

BEFORE = """# TYPE leaderboard_key_ops_total counter
leaderboard_key_ops_total{key="lb:eu:solo:s1",op="write"} 10.0
leaderboard_key_ops_total{key="lb:eu:duo:s1",op="write"} 10.0
leaderboard_key_ops_total{key="lb:eu:solo:s1",op="read"} 5.0
"""
AFTER = """# TYPE leaderboard_key_ops_total counter
leaderboard_key_ops_total{key="lb:eu:solo:s1",op="write"} 13.0
leaderboard_key_ops_total{key="lb:eu:duo:s1",op="write"} 10.0
leaderboard_key_ops_total{key="lb:apac:solo:s1",op="write"} 1.0
leaderboard_key_ops_total{key="lb:eu:solo:s1",op="read"} 7.0
"""


@pytest.mark.parametrize(
    ("values", "fraction", "expected"),
    [
        ((5.0,), 0.95, 5.0),
        ((3.0, 1.0, 2.0), 0.5, 2.0),
        ((4.0, 3.0, 2.0, 1.0), 0.5, 2.0),
        (tuple(map(float, range(100))), 0.95, 94.0),
        (tuple(map(float, range(101))), 0.95, 95.0),
        ((2.0, 1.0), 1.0, 2.0),
    ],
)
def test_a_percentile_is_one_of_the_values(
    values: tuple[float, ...], fraction: float, expected: float
) -> None:
    """The position is (n - 1) x fraction, rounded down."""
    assert expected == percentile(values, fraction)


def test_a_timing_counts_what_one_client_sent() -> None:
    """The rate is requests over the elapsed time; a line shows three decimals."""
    timing = Timing((0.001, 0.0021234, 0.003), 0.01)

    assert 300 == timing.per_second
    assert "Write p50: 2.123 ms over HTTP" == timing.line("Write", 0.50)
    assert "Read p95: 2.123 ms over HTTP" == timing.line("Read", 0.95)


def test_hits_are_what_the_counters_grew_by() -> None:
    """A key that did not grow is left out, a key that is new counts whole."""
    writes = hits_between(BEFORE, AFTER, "write")

    assert {"lb:eu:solo:s1": 3, "lb:apac:solo:s1": 1} == writes.by_key
    assert 4 == writes.total
    assert 0.75 == writes.hottest_share
    assert {"lb:eu:solo:s1": 2} == hits_between(BEFORE, AFTER, "read").by_key


def test_no_hit_has_no_hottest_share() -> None:
    """Without hits the share is 0, which no proof takes for success."""
    assert 0.0 == KeyHits({}).hottest_share


def test_verdicts_name_their_problems() -> None:
    """A FAIL carries all of its reasons."""
    assert "Proof: PASS" == verdict_line("Proof", [])
    assert "Proof: PASS - well" == verdict_line("Proof", [], passed="well")
    assert "Proof: FAIL - one; two" == verdict_line("Proof", ["one", "two"], passed="well")


@pytest.mark.parametrize(
    ("line", "fails"),
    [("Proof: FAIL - why", True), ("Proof: PASS", False), ("FAILURE DRILL", False)],
)
def test_only_the_word_fail_is_a_failure(line: str, fails: bool) -> None:
    """A title that begins like the verdict is none."""
    assert fails == says_fail(["Title", line])
