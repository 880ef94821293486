from collections.abc import Callable
from typing import Any

import pytest
from gevent.socket import socket
from gevent_server import Peer, Script, always, answer, serving
from hand_clock import HandClock

from locustfiles.recording import key_watch
from locustfiles.recording.key_watch import KeyWatch


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


def test_a_service_without_counters_is_read_once(clock: HandClock) -> None:
    """The reason says what was missing."""
    document = watched(always(answer(b"up 1\n")), 5, clock)

    assert "/metrics has no per-key counters" == document["reason"]
    assert (None, None, []) == (document["start"], document["end"], document["seconds"])


def test_a_service_without_the_page_is_read_once(clock: HandClock) -> None:
    """The reason says what was answered."""
    document = watched(always(answer(b"", "404 Not Found")), 5, clock)

    assert "/metrics answered 404" == document["reason"]


def page_of(hits: int) -> bytes:
    """A metrics page with one key."""
    return f'leaderboard_key_ops_total{{key="k",op="write"}} {hits}\n'.encode()


def test_a_watch_has_a_document_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it watches, the last reading stands for the end; then the end is the end."""
    clock = HandClock(0)
    monkeypatch.setattr(key_watch, "gevent", clock)

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            so_far.append(watch.document_so_far())
            stream.sendall(answer(page_of(10 * peer.total)))

    so_far: list[dict[str, Any]] = []
    with serving(script) as (dialer, _):
        watch = KeyWatch(dialer, 2)
        watch.run(clock)
    after = watch.document_so_far()
    first, second, third = so_far

    assert (None, None) == (first["start"], first["end"])
    assert second["start"]["keys"] == second["end"]["keys"]
    assert (None, 10) == (third["reason"], hits_moved(third))
    assert 20 == hits_moved(after)
    assert after == watch.as_document()


def hits_moved(document: dict[str, Any]) -> int:
    """The writes between both ends."""
    ends = (document[name]["keys"]["k"]["write"]["hits"] for name in ("end", "start"))
    return int(next(ends)) - int(next(ends))
