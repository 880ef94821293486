from collections.abc import Callable

import pytest
from gevent.socket import socket
from gevent_server import Peer, Script, always, answer, serving
from hand_clock import HandClock

from locustfiles.recording import key_watch
from locustfiles.recording.key_counters import (
    Hits,
    has_restarted,
    hits_between,
    read_hits,
    read_ledger_buckets,
    read_snapshot,
)
from locustfiles.recording.key_watch import KeyWatch

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


def test_a_count_that_cannot_be_told_is_none() -> None:
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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """The clock that a watch sleeps by."""
    clock = HandClock(0)
    monkeypatch.setattr(key_watch, "gevent", clock)
    return clock


def watched(script: Script, seconds: int, clock: HandClock) -> dict[str, object]:
    """What a watch of some seconds finds."""
    with serving(script) as (dialer, _):
        watch = KeyWatch(dialer, seconds)
        watch.run(clock)
    return watch.as_document()


def counting(stall: Callable[[int], None]) -> Script:
    """A metrics page that counts 10 writes each time, and may stall."""

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            stall(peer.total)
            line = f'leaderboard_key_ops_total{{key="k",op="write"}} {10 * peer.total}\n'
            stream.sendall(answer(line.encode()))

    return script


def moved(document: dict[str, object]) -> tuple[int, list[int]]:
    """The writes between both ends, and those of the rows."""
    start, end = document["start"], document["end"]
    assert isinstance(start, dict)
    assert isinstance(end, dict)
    ends = (one["keys"]["k"]["write"]["hits"] for one in (end, start))
    rows = document["seconds"]
    assert isinstance(rows, list)
    return next(ends) - next(ends), [row["hits"]["k"]["write"] for row in rows]


def restarting(at: int) -> Script:
    """A metrics page whose count begins anew once."""

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            count = 1_000 * peer.total if peer.total < at else 1_400 + peer.total
            line = f'leaderboard_key_ops_total{{key="k",op="write"}} {count}\n'
            stream.sendall(answer(line.encode()))

    return script


def test_counters_that_began_anew_are_compared_with_nothing(clock: HandClock) -> None:
    """Also when the new count is higher at the end than the old one was at the start."""
    document = watched(restarting(at=3), 3, clock)
    whole, _ = moved(document)

    assert whole > 0
    assert (
        "the service was started again in the measured phase, and its counters began anew"
        == document["reason"]
    )


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


def test_the_seconds_add_up_to_the_whole(clock: HandClock) -> None:
    """What was counted between both ends is in the rows, once."""
    document = watched(counting(lambda _: None), 2, clock)
    whole, rows = moved(document)

    assert document["reason"] is None
    assert (20, [10, 10]) == (whole, rows)


def test_a_stall_leaves_a_gap_and_loses_no_hit(clock: HandClock) -> None:
    """A reading that came late counts for the second it came in."""

    def stall(reading: int) -> None:
        if reading == 2:
            clock.sleep(1.2)

    document = watched(counting(stall), 4, clock)
    whole, rows = moved(document)

    assert document["reason"] is None
    assert (40, [20, 10, 10]) == (whole, rows)


def late(first: int) -> Script:
    """A metrics page that cannot be had before one of the requests for it."""

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            line = f'leaderboard_key_ops_total{{key="k",op="write"}} {10 * peer.total}\n'
            status = "200 OK" if peer.total >= first else "503 Service Unavailable"
            stream.sendall(answer(line.encode(), status))

    return script


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (1, None),
        (2, "the counters were first read 1.0 s into the measured phase"),
        (4, "the counters were read only once, at the end of the measured phase"),
    ],
)
def test_a_window_that_was_not_whole_is_not_measured(
    first: int, reason: str | None, clock: HandClock
) -> None:
    """A start that came late has lost hits, and one that is the end has lost all of them."""
    assert watched(late(first), 3, clock)["reason"] == reason


def test_a_service_without_counters_is_asked_once(clock: HandClock) -> None:
    """The reason says what was missing."""
    document = watched(always(answer(b"up 1\n")), 5, clock)

    assert "/metrics has no per-key counters" == document["reason"]
    assert (None, None, []) == (document["start"], document["end"], document["seconds"])


def test_a_service_without_the_page_is_asked_once(clock: HandClock) -> None:
    """The reason says what was answered."""
    document = watched(always(answer(b"", "404 Not Found")), 5, clock)

    assert "/metrics answered 404" == document["reason"]


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


def test_commit_times_that_are_no_numbers_are_passed_over() -> None:
    """A foreign service may show anything."""
    name = b"leaderboard_ledger_commit_duration_seconds_bucket"
    page = b"".join(
        name + b'{le="' + bound + b'"} ' + count + b"\n"
        for bound, count in [(b"0.1", b"NaN"), (b"x", b"1"), (b"1e", b"1"), (b"0.5", b"3.0")]
    )

    assert [[0.5, 3]] == read_ledger_buckets(page)
