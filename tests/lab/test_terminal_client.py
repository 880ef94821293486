"""The client of the terminal lab against services that do not do as asked."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from lab.errors import Interrupted, PartFailed
from lab.terminal.board_client import BoardClient, Probe
from workload.dataset import Entry

ENTRY = Entry("player-00000", "lb:eu:solo:s1", 7)


def _nothing() -> None:
    return


@contextmanager
def _client(
    status: int, body: str, before_each: Callable[[], None] = _nothing
) -> Iterator[BoardClient]:
    """A client at a service that answers everything alike."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        with closing(BoardClient(url, before_each)) as client:
            yield client
        server.shutdown()
        thread.join()


def test_an_applied_event_is_timed() -> None:
    """The time of the last request is at hand."""
    with _client(200, '{"status": "applied"}') as client:
        client.submit("event-1", ENTRY)

        assert 0 < client.last_seconds < 10


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (200, '{"status": "duplicate"}', "Event event-1 was not applied: duplicate."),
        (503, "no Redis", "POST /v1/scores was answered 503: no Redis"),
    ],
)
def test_an_event_that_is_not_applied_ends_the_lab(status: int, body: str, sentence: str) -> None:
    """No figure is made of requests that were not done."""
    with _client(status, body) as client, pytest.raises(PartFailed) as caught:
        client.submit("event-1", ENTRY)

    assert sentence == str(caught.value)


@pytest.mark.parametrize("status", [200, 202])
def test_an_event_may_be_durable_only(status: int) -> None:
    """A drill is told what became of its event."""
    with _client(status, '{"status": "durable-only"}') as client:
        assert "durable-only" == client.deliver("event-1", ENTRY, 7)


@pytest.mark.parametrize(
    ("status", "body", "probe", "words"),
    [
        (200, '{"score": 7}', Probe(200, 7), "7"),
        (200, '{"score": 7, "recovering": true}', Probe(200, 7, recovering=True), "7 (recovering)"),
        (404, "no such player", Probe(404), "unavailable (404)"),
        (503, "no Redis", Probe(503), "unavailable (503)"),
    ],
)
def test_a_player_is_seen_or_not(status: int, body: str, probe: Probe, words: str) -> None:
    """A ranking without the player, or without Redis, is an answer like any other."""
    with _client(status, body) as client:
        seen = client.probe(ENTRY)

    assert probe == seen
    assert words == seen.shown()


def test_any_other_answer_ends_the_lab() -> None:
    """A ranking that refuses the question is no probe of it."""
    with _client(422, "no such window") as client, pytest.raises(PartFailed, match="answered 422"):
        client.probe(ENTRY)


def test_a_batch_must_be_taken_whole() -> None:
    """A batch of which one event was not applied ends the lab."""
    with _client(200, '{"counts": {"applied": 0}}') as client, pytest.raises(PartFailed) as caught:
        client.submit_batch("lb:eu:solo:s1", ["event-1"], [ENTRY])

    assert str(caught.value).startswith("lb:eu:solo:s1 did not take all 1 players")


def test_a_service_that_is_gone_is_told_in_a_sentence() -> None:
    """A refused connection names the request."""
    with _client(200, "{}") as client:
        pass

    with closing(client), pytest.raises(PartFailed, match="did not answer POST /v1/scores"):
        client.submit("event-1", ENTRY)


def test_a_wish_to_stop_is_seen_before_each_request() -> None:
    """Nothing is sent once somebody asked to stop."""

    def stopped() -> None:
        raise Interrupted("stopped by SIGINT")

    with _client(200, "{}", stopped) as client, pytest.raises(Interrupted):
        client.submit("event-1", ENTRY)
