"""`make sweep` waits for a sweep, and says in a sentence why there is none."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from lab.cli.variables import Variables
from lab.errors import PartFailed, UsageError
from lab.http_json import NoAnswer
from lab.sweep import Sweeps, sweep

BEGUN = {"number": 7, "ended_at": None, "seconds": None} | dict.fromkeys(
    ("scanned", "changed", "unchanged", "unlocked"), 0
)
ENDED = {
    "number": 7,
    "ended_at": "2026-09-06T04:40:01.500Z",
    "seconds": 1.5,
    "scanned": 50_000,
    "changed": 5_000,
    "unchanged": 45_000,
    "unlocked": 5_001,
}


class Service(ThreadingHTTPServer):
    """Answers requests one after another with what it is told to."""

    answers: list[tuple[int, Any]]
    asked: list[str]


class _Handler(BaseHTTPRequestHandler):
    server: Service

    def _answer(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        status, told = self.server.answers.pop(0)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())

    do_GET = do_POST = _answer  # noqa: N815  (http.server's names)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def service() -> Iterator[Service]:
    """A service on a free port."""
    with Service(("127.0.0.1", 0), _Handler) as server:
        server.answers, server.asked = [], []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def _variables(service: Service) -> Variables:
    return Variables(service_port=service.server_port)


def test_it_waits_and_prints_what_was_done(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    """The counts of the sweep that it began."""
    service.answers = [(200, BEGUN), (200, BEGUN), (200, ENDED)]

    assert 0 == sweep(_variables(service))
    assert ["POST /v1/sweeps", "GET /v1/sweeps/7", "GET /v1/sweeps/7"] == service.asked
    assert (
        "Sweep 7 has begun.\nIt has ended: scanned 50,000, changed 5,000, unchanged 45,000, "
        "unlocked 5,001, 1.500 seconds.\n"
    ) == capsys.readouterr().out


def test_a_refusal_is_told_in_the_services_words(service: Service) -> None:
    """Another sweep is at work, or there is no ledger."""
    service.answers = [(409, {"detail": "Another sweep is at work; wait until it has ended."})]

    with pytest.raises(UsageError, match=r"does not sweep: Another sweep is at work; wait"):
        sweep(_variables(service))


@pytest.mark.parametrize("told", [{}, [], {**BEGUN, "number": "seven"}, "text"])
def test_something_else_than_a_sweep(service: Service, told: object) -> None:
    """Whoever listens there is no Hotboard."""
    service.answers = [(200, told)]

    with pytest.raises(UsageError, match="something else than a sweep"):
        sweep(_variables(service))


def test_nobody_listens(service: Service) -> None:
    """The sentence names the address and the way out."""
    service.server_close()

    with pytest.raises(UsageError, match=r"http://127.0.0.1:\d+ does not sweep: .*make serve"):
        sweep(_variables(service))


def test_a_service_that_falls_silent(service: Service) -> None:
    """What became of the sweep is then not known."""
    service.answers = [(200, BEGUN), (503, {"detail": "The ledger is closed."})]

    with pytest.raises(PartFailed, match="What became of sweep 7 is unknown: The ledger is closed"):
        sweep(_variables(service))


def test_a_sweep_that_died_is_not_waited_for(service: Service) -> None:
    """As on a full disk, where it cannot note that it has ended."""
    service.answers = [(200, BEGUN), *[(200, BEGUN | {"scanned": 4_000})] * 1_000]
    sweeps = Sweeps(f"http://127.0.0.1:{service.server_port}", still_seconds=0.5)

    with pytest.raises(NoAnswer) as caught:
        sweeps.follow(sweeps.begin())

    assert str(caught.value) == (
        "it got no further than 4,000 members for 0.5 s; the service's log says why"
    )


def test_a_sweep_that_gets_further_is_waited_for(service: Service) -> None:
    """However long it takes in all; only standing still counts."""
    steps = [(200, BEGUN | {"scanned": step}) for step in range(8)]
    service.answers = [(200, BEGUN), *steps, (200, ENDED)]
    sweeps = Sweeps(f"http://127.0.0.1:{service.server_port}", still_seconds=1.0)

    assert sweeps.follow(sweeps.begin()).scanned == 50_000
