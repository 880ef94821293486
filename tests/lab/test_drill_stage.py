"""The stage of a drill: parts that are knocked out, the run's clock, a look at the top."""

import json
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest

from lab.drills.run_clock import RunClock, RunOver, await_clock
from lab.drills.stale_top import TopProbe, TopProber
from lab.stack import process as parts
from lab.stack.process import Part
from lab.stack.redis import answers, connect, embedded_redis, find_server
from lab.stack.stack import Session

SECOND_ZERO = 1_767_323_045.0


@pytest.fixture
def server(tmp_path: Path, session: Session) -> Iterator[tuple[Part, str]]:
    """A Redis server and its address."""
    part, url = embedded_redis("The Redis server", find_server(None), tmp_path, session)
    part.begin()
    yield part, url
    part.end()


def test_a_part_that_was_knocked_out_is_no_failure_and_comes_back_empty(
    server: tuple[Part, str],
) -> None:
    """It has another process and the same address; one that dies by itself is a failure again."""
    part, url = server
    with connect(url) as client:
        client.set("k", "v")
    part.knock_out()
    assert part.failure() is None
    assert not answers(url)

    part.begin()
    with connect(url) as client:
        assert client.get("k") is None
    assert part.failure() is None

    part.send(signal.SIGKILL)
    assert part.process is not None
    part.process.wait()
    assert "ended by itself (exit code -9" in (part.failure() or "")


def test_a_part_that_stands_still_can_be_ended_at_once(
    server: tuple[Part, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end does not wait for a stopped process to see its signal."""
    part, _ = server
    monkeypatch.setattr(parts, "STOP_SECONDS", 120.0)
    assert part.process is not None
    process = psutil.Process(part.process.pid)
    part.send(signal.SIGSTOP)
    while process.status() != psutil.STATUS_STOPPED:
        time.sleep(0.01)
    begun = time.monotonic()
    part.end()

    assert not process.is_running()
    assert time.monotonic() - begun < 60


def test_the_clock_waits_for_the_start_that_is_written_down(tmp_path: Path) -> None:
    """run.json may be missing at first, then be silent on the start."""
    is_over = threading.Event()
    path = tmp_path / "run.json"

    def write() -> None:
        path.write_text(json.dumps({"measured_from": None}))
        time.sleep(0.1)
        fresh = tmp_path / "fresh"
        fresh.write_text(json.dumps({"measured_from": "2026-01-02T03:04:05.000Z"}))
        fresh.replace(path)

    thread = threading.Thread(target=write)
    thread.start()
    clock = await_clock(tmp_path, 20, is_over)
    thread.join()

    assert clock.epoch(1.5) == SECOND_ZERO + 1.5


def test_waiting_ends_with_the_run(tmp_path: Path) -> None:
    """For the start, for a second, and for a share of the phase."""
    is_over = threading.Event()
    is_over.set()
    clock = RunClock(time.time(), 3600, is_over)

    with pytest.raises(RunOver):
        await_clock(tmp_path, 20, is_over)
    with pytest.raises(RunOver):
        clock.wait_for_share(0.5)
    clock.wait_for_end()


class _Top(BaseHTTPRequestHandler):
    """Answers with each of the server's bodies in turn."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Give the next answer."""
        status, body = self.server.replies.pop(0)  # type: ignore[attr-defined]  # set below
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_look_at_the_top_tells_its_time_or_that_there_was_no_answer() -> None:
    """Failures, and answers that are none, are looks without a time; the next look goes on."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), _Top)
    httpd.replies = [  # type: ignore[attr-defined]  # for the handler
        (200, b'{"as_of":"2026-01-02T03:04:06.500Z","entries":[]}'),
        (503, b"{}"),
        (200, b"no json"),
        (200, b'{"as_of":"2026-01-02T03:04:07.000Z"}'),
    ]
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    clock = RunClock(SECOND_ZERO, 20, threading.Event())
    with TopProber(f"http://127.0.0.1:{httpd.server_port}", clock) as prober:
        probes = [prober.probe() for _ in range(4)]
    httpd.shutdown()
    httpd.server_close()
    thread.join()

    assert [probe.as_of for probe in probes] == [1.5, None, None, 2.0]
    assert TopProbe(9.5, 2.0).age_seconds == 7.5
    assert TopProbe(9.5, None).age_seconds == 0
