"""A run that ends while something is broken: what was seen until then is told, and no more."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lab.audit.ledger_file import LedgerFile
from lab.cli.variables import Variables
from lab.drills.fault import Scene, Span
from lab.drills.rank_storm import RankStorm
from lab.drills.run_clock import RunClock, RunOver
from lab.drills.stale_top import StaleTop
from lab.grafana import RunMarks, grafana_of
from lab.stack.embedded import EmbeddedStack
from lab.stack.process import Part
from lab.stack.stack import Session
from target_service.ledger.store import Store
from workload.load import LoadSettings

TOP = b'{"as_of":"2026-01-02T03:04:06.500Z","entries":[]}'
NOBODY = "http://127.0.0.1:1"
METRICS = b"# TYPE leaderboard_rank_rejected_total counter\nleaderboard_rank_rejected_total 7\n"


class _Service(BaseHTTPRequestHandler):
    """Has one top, and has refused seven ranks."""

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.end_headers()
        self.wfile.write(METRICS if self.path == "/metrics" else TOP)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    """Where that service is."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Service) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


class _Stage:
    """A scene ten seconds into the measured phase, and the end of its run."""

    def __init__(self, url: str, folder: Path, session: Session) -> None:
        self.is_over = threading.Event()
        self.path = folder / "ledger.db"
        self.spans: list[Span] = []
        store = Store(self.path)
        store.prepare()
        service = Part("The service", ["true"], session, log=None)
        self.scene = Scene(
            EmbeddedStack("", url, (service,)),
            LedgerFile(self.path, "naive"),
            RunClock(time.time() - 10, 3_600, self.is_over),
            RunMarks(grafana_of(Variables(grafana_url=NOBODY)), "naive", "run"),
            self.spans,
            LoadSettings(wave_seconds=5),
        )

    def end_once_held(self) -> None:
        """End the run as soon as somebody holds the aggregator."""
        with closing(sqlite3.connect(self.path)) as ledger:
            while not ledger.execute("SELECT * FROM holds").fetchall():
                time.sleep(0.01)
        self.is_over.set()


@pytest.fixture
def stage(url: str, tmp_path: Path, session: Session) -> _Stage:
    """The stage."""
    return _Stage(url, tmp_path, session)


def test_refusals_are_counted_also_of_a_storm_that_was_cut_short(stage: _Stage) -> None:
    """Else what clients were told would look like more than the service says."""
    fault = RankStorm()
    stage.is_over.set()

    with pytest.raises(RunOver):
        fault.strike(stage.scene)

    assert fault.refused == 7


def test_a_top_whose_hold_was_cut_short_is_not_said_to_have_stayed_old(stage: _Stage) -> None:
    """It was looked at before and meanwhile; afterwards nobody looked."""
    fault = StaleTop(at_share=0.003)
    ending = threading.Thread(target=stage.end_once_held)
    ending.start()
    with pytest.raises(RunOver):
        fault.strike(stage.scene)
    ending.join()
    (told,) = fault.findings([]).sentences

    # the hold lies in the fault that was noted, whose seconds are rounded
    noted = stage.spans[0].from_second, *fault.span, stage.spans[0].to_second
    rounded = [round(second, 3) for second in noted]
    assert rounded == sorted(rounded)
    assert fault.span[0] < fault.span[1]
    assert "not looked at before" not in told
    assert "not looked at after it" in told
