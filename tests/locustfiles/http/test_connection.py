from collections.abc import Iterator

import gevent
import pytest
from attempts import REQUEST, attempt_get, exchange
from flooding_service import DRIPS, FLOODS, flooding_service
from gevent.socket import socket, wait_read
from gevent_server import (
    APPLIED,
    PATIENCE_SECONDS,
    Peer,
    Script,
    always,
    answer,
    once,
    serving,
    silent,
    until,
)

from locustfiles.http import connection as connection_module
from locustfiles.http.connection import Connection, ExchangeFailed
from locustfiles.http.dialer import Dialer, read_address


def await_end(connection: Connection) -> None:
    """Wait until the server's close has arrived."""
    assert connection._socket is not None
    wait_read(connection._socket.fileno(), PATIENCE_SECONDS)


def test_one_connection_carries_many_requests() -> None:
    """It is kept open, and each answer is the one to its own request."""
    with serving(always(answer())) as (dialer, peer):
        connection = Connection(dialer)
        outcomes = [exchange(connection) for _ in range(5)]
        connection.close()

    assert [(None, 200, APPLIED)] * 5 == [(o.failure, o.status, o.body) for o in outcomes]
    assert [5] == [len(requests) for requests in peer.requests]
    assert 1 == connection.opened


CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\n\r\n"


@pytest.mark.parametrize(
    ("caption", "data", "status", "body"),
    [
        ("an empty answer", b"HTTP/1.1 204 No Content\r\n\r\n", 204, b""),
        ("chunks", CHUNKED, 200, b"abcde"),
        ("an interim answer first", INTERIM + answer(b"x"), 200, b"x"),
        ("an error status", answer(b"no", "503 Busy"), 503, b"no"),
        ("a large body", answer(b"y" * 100_000), 200, b"y" * 100_000),
    ],
)
def test_whole_answers_of_every_form(caption: str, data: bytes, status: int, body: bytes) -> None:
    """Whatever its status, an answer that arrives whole is no failed exchange."""
    with serving(always(data)) as (dialer, _):
        connection = Connection(dialer)
        outcomes = [exchange(connection) for _ in range(2)]
        connection.close()

    assert [(None, status, body)] * 2 == [(o.failure, o.status, o.body) for o in outcomes], caption


def test_a_body_ended_by_the_close_of_the_connection_is_whole() -> None:
    """HTTP allows an answer without a length on a connection that is not kept."""
    data = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabc"
    with serving(once(data)) as (dialer, peer):
        connection = Connection(dialer)
        bodies = [exchange(connection).body for _ in range(2)]
        connection.close()

    assert [b"abc", b"abc"] == bodies
    assert (2, 2) == (connection.opened, peer.total)


def test_a_connection_that_the_server_closed_is_opened_again_before_sending() -> None:
    """The request goes out once, on a fresh connection, and nothing failed."""
    with serving(once(answer())) as (dialer, peer):
        connection = Connection(dialer)
        outcomes = []
        for _ in range(3):
            outcomes.append(exchange(connection))
            await_end(connection)
        connection.close()

    assert [None] * 3 == [outcome.failure for outcome in outcomes]
    assert [1, 1, 1] == [len(requests) for requests in peer.requests]


def closing(stream: socket, peer: Peer) -> None:
    """Read a request and close without an answer."""
    peer.read(stream)


@pytest.mark.parametrize(
    ("caption", "script", "kind"),
    [
        ("no answer before the close", closing, "reset"),
        ("half an answer", once(answer()[:-5]), "reset"),
        ("no HTTP", once(b"220 smtp.example ESMTP\r\n"), "other"),
        ("no answer at all", silent, "timeout"),
    ],
)
def test_a_failure_after_the_bytes_were_written_is_unknown_and_never_resent(
    caption: str, script: Script, kind: str
) -> None:
    """The server saw the request once; what it did with it is unknown."""
    with serving(script) as (dialer, peer):
        connection = Connection(dialer)
        connection.ensure_open()  # to connect takes none of the time
        outcome = exchange(connection, 0.2 if kind == "timeout" else PATIENCE_SECONDS)
        connection.close()
        until(lambda: peer.ended == connection.opened)

    assert (kind, True) == (outcome.failure, outcome.was_written), caption
    assert 1 == peer.total


def test_a_second_answer_to_one_request_ends_the_connection() -> None:
    """It could be taken for the answer to the next request."""
    with serving(always(answer(b"first") + answer(b"excess"))) as (dialer, peer):
        connection = Connection(dialer)
        bodies = [exchange(connection).body for _ in range(3)]
        connection.close()

    assert [b"first"] * 3 == bodies
    assert [1, 1, 1] == [len(requests) for requests in peer.requests]


def test_an_answer_that_drips_is_bounded_in_total() -> None:
    """The time limit is for the whole answer, not for each part of it."""

    def drip(stream: socket, peer: Peer) -> None:
        peer.read(stream)
        stream.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
        while True:
            stream.sendall(b"z")
            gevent.sleep(0.02)

    with serving(drip) as (dialer, peer), gevent.Timeout(PATIENCE_SECONDS):
        connection = Connection(dialer)
        connection.ensure_open()
        outcome = exchange(connection, 0.3)
        until(lambda: peer.ended)  # it dripped on until the connection was closed

    assert "timeout" == outcome.failure
    assert 250_000 <= outcome.ended_us - outcome.begun_us


@pytest.fixture(scope="module")
def flood() -> Iterator[str]:
    """The address of a service whose answers never end."""
    with flooding_service() as url:
        yield url


@pytest.mark.parametrize("kind", FLOODS)
def test_an_answer_that_never_ends_is_given_up_where_it_is_too_long(flood: str, kind: str) -> None:
    """However it goes on: in its head, its body or behind it, in large parts or in small ones."""
    with gevent.Timeout(PATIENCE_SECONDS):
        outcome = attempt_get(flood, kind, PATIENCE_SECONDS)

    assert ("bad_body", True) == (outcome.failure, outcome.was_written)
    assert "an answer of more than 8,000,000 bytes" == outcome.in_words()


@pytest.mark.parametrize("kind", ["body", *DRIPS])
def test_an_answer_that_never_ends_is_given_up_when_its_time_is_over(
    flood: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that comes so fast that a read never has to wait; and others have their turn."""
    monkeypatch.setattr(connection_module, "LARGEST_BYTES", 10**15)
    turns: list[None] = []

    def take_turns() -> None:
        while True:
            turns.append(None)
            gevent.sleep(0.001)

    other = gevent.spawn(take_turns)
    outcome = attempt_get(flood, kind, 0.3)
    other.kill()

    assert ("timeout", True) == (outcome.failure, outcome.was_written)
    assert 10 < len(turns)


def test_a_refused_connection_is_known_to_have_done_nothing() -> None:
    """Nothing was written, so the outcome is not unknown."""
    outcome = exchange(Connection(Dialer(read_address("http://127.0.0.1:1"))))

    assert ("refused", False) == (outcome.failure, outcome.was_written)


def test_a_name_that_does_not_resolve_is_a_failure_like_any_other() -> None:
    """It is counted, and does not end the run."""
    outcome = exchange(Connection(Dialer(read_address("http://nowhere.invalid:80"))))

    assert ("other", False) == (outcome.failure, outcome.was_written)


def test_an_exchange_on_a_closed_connection_fails() -> None:
    """It says so instead of opening one behind the caller's back."""
    connection = Connection(Dialer(read_address("http://127.0.0.1:1")))

    with pytest.raises(ExchangeFailed, match="reset"):
        connection.exchange(REQUEST)
