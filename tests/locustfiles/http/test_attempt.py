import gevent
import pytest
from attempts import REQUEST, exchange
from gevent.socket import socket
from gevent_server import (
    PATIENCE_SECONDS,
    Peer,
    answer,
    serving,
    silent,
    until,
)
from hand_clock import HandClock

from locustfiles.http.attempt import Attempt, attempt
from locustfiles.http.connection import Connection
from locustfiles.http.dialer import Dialer


def test_an_answer_in_words_holds_nothing_that_a_terminal_would_obey() -> None:
    """Neither colours nor a new title, nor lines of its own."""
    outcome = Attempt(0, 1, None, True, 503, b"\x1b]0;mine\x07no\n\x1b[2Jway\xc2\x9b")

    assert "the service answered 503 with �]0;mine�no��[2Jway�" == outcome.in_words()


@pytest.mark.parametrize(
    ("status", "body", "document"),
    [
        (200, b'{"final":null}', {"final": None}),
        (503, b"{}", None),
        (200, b"<html>", None),
        (200, b"[]", None),
        (200, b'{"a":' * 10_000, None),
    ],
)
def test_a_document_is_an_object_of_json(
    status: int, body: bytes, document: dict[str, object] | None
) -> None:
    """Anything else a service may say is none."""
    assert document == Attempt(0, 1, None, True, status, body).document()


def test_the_time_to_reconnect_is_no_service_time() -> None:
    """Service time begins when the bytes are written, after the connection is open."""

    class SlowDialer(Dialer):
        """Takes its time."""

        def dial(self) -> socket:
            clock.sleep(0.2)
            return super().dial()

    def serve(stream: socket, peer: Peer) -> None:
        peer.read(stream)
        clock.sleep(0.007)
        stream.sendall(answer())

    clock = HandClock(0)
    with serving(serve) as (dialer, _):
        connection = Connection(SlowDialer(dialer.address))
        outcome = attempt(connection, REQUEST, PATIENCE_SECONDS, clock)
        connection.close()

    assert (None, 200_000, 207_000) == (outcome.failure, outcome.begun_us, outcome.ended_us)


def test_an_attempt_that_is_killed_while_waiting_has_a_timeout() -> None:
    """The request was sent, and its outcome stays unknown."""
    outcomes: list[Attempt] = []
    with serving(silent) as (dialer, peer):
        connection = Connection(dialer)
        waiting = gevent.spawn(lambda: outcomes.append(exchange(connection)))
        until(lambda: peer.total)
        waiting.kill()

    assert [("timeout", True)] == [(one.failure, one.was_written) for one in outcomes]
