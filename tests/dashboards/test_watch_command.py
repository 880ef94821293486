"""`python -m dashboards.watch`, whole: a real Prometheus, and a program in Grafana's place."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from free_ports import free_port
from moving_stack import GLOBAL_KEY, Generator, Service, serving, ticking
from pretend_grafana import install

from dashboards.datacheck.patience import await_first_scrapes
from dashboards.datacheck.prometheus_api import PrometheusApi
from dashboards.grafana.files import CHECKOUT
from dashboards.watch.stop import Stopped, StopRequest

# However slow the machine: reached only where something hangs.
SECONDS = 240


@contextmanager
def watching(tmp_path: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Run a watch whose temporary files and children can be told from others."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), **variables}
    command = [sys.executable, "-m", "dashboards.watch"]
    with subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_until(process: subprocess.Popen[str], end: str) -> list[str]:
    """Read what it says up to a line that ends so."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if lines[-1].endswith(end):
            return lines
    pytest.fail(f"it ended: {lines} {process.stderr and process.stderr.read()}")


def children(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """List everything it has started."""
    return psutil.Process(process.pid).children(recursive=True)


def test_watch_scrapes_a_run_and_leaves_nothing(prometheus: Path, tmp_path: Path) -> None:
    """Both parts of a run are up in Prometheus; after Ctrl-C no process and no file is left."""
    port, grafana_port = free_port(), free_port()
    service, generator = Service("naive", [GLOBAL_KEY]), Generator()
    with ticking() as clock, serving(service) as one, serving(generator) as other:
        clock.parts = [service, generator]
        with watching(
            tmp_path,
            PROMETHEUS_BIN=str(prometheus),
            GRAFANA_BIN=str(install(tmp_path / "grafana")),
            SERVICE_PORT=one.rpartition(":")[2],
            LOADGEN_PORT=other.rpartition(":")[2],
            PROMETHEUS_PORT=str(port),
            GRAFANA_PORT=str(grafana_port),
        ) as process:
            lines = lines_until(process, "Stop with Ctrl-C.")
            api = PrometheusApi(f"http://127.0.0.1:{port}")
            assert await_first_scrapes(api, 2)
            up = {s.labels["job"]: s.values[-1] for s in api.instant("up", time.time())}
            started = children(process)
            process.send_signal(signal.SIGINT)
            rest, problems = process.communicate(timeout=SECONDS)

    assert f"  grafana     http://127.0.0.1:{grafana_port}" in lines
    assert any(line.startswith(f"  prometheus  http://127.0.0.1:{port}/") for line in lines)
    assert {"service": 1.0, "generator": 1.0} == up
    assert len(started) == 2
    assert not any(child.is_running() for child in started)
    assert not list(tmp_path.glob("hotboard-watch-*"))
    assert (0, "") == (process.returncode, problems)
    assert rest.endswith("Stopped.\n")


def test_watch_without_grafana_says_how_to_get_one(prometheus: Path, tmp_path: Path) -> None:
    """Prometheus alone is enough, and the sentence names Debian and macOS."""
    with watching(
        tmp_path,
        PROMETHEUS_BIN=str(prometheus),
        PATH=str(tmp_path),
        PROMETHEUS_PORT=str(free_port()),
    ) as process:
        text = "\n".join(lines_until(process, "Stop with Ctrl-C."))
        process.terminate()
        process.communicate(timeout=SECONDS)

    assert "Grafana was not found: on Debian and Ubuntu " in text
    assert "on macOS from `brew install grafana`" in text
    assert 0 == process.returncode


def test_watch_without_prometheus_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence on how to get it and on what remains, and exit code 2."""
    monkeypatch.delenv("PROMETHEUS_BIN", raising=False)
    with watching(tmp_path, PROMETHEUS_BIN=str(tmp_path / "none")) as process:
        out, problems = process.communicate(timeout=SECONDS)

    assert (2, "") == (process.returncode, out)
    assert "PROMETHEUS_BIN names" in problems
    assert problems.endswith("Without it, Locust's page and the terminal show a run.\n")


def test_watch_refuses_a_taken_port_by_its_variable(prometheus: Path, tmp_path: Path) -> None:
    """The default port of a Prometheus that runs already is told with the way out."""
    with serving(Generator()) as taken:
        port = taken.rpartition(":")[2]
        with watching(tmp_path, PROMETHEUS_BIN=str(prometheus), PROMETHEUS_PORT=port) as process:
            _, problems = process.communicate(timeout=SECONDS)

    sentence = f"Port {port} is in use: choose another one with PROMETHEUS_PORT=<port>.\n"
    assert (2, sentence) == (process.returncode, problems)


def test_watch_ends_when_prometheus_does(prometheus: Path, tmp_path: Path) -> None:
    """A Prometheus that dies ends the watch with exit code 3 and a sentence."""
    with watching(
        tmp_path,
        PROMETHEUS_BIN=str(prometheus),
        PATH=str(tmp_path),
        PROMETHEUS_PORT=str(free_port()),
    ) as process:
        lines_until(process, "Stop with Ctrl-C.")
        (server,) = children(process)
        server.kill()
        _, problems = process.communicate(timeout=SECONDS)

    assert (3, "Prometheus ended by itself.\n") == (process.returncode, problems)


def test_the_next_watch_ends_what_a_killed_one_left(prometheus: Path, tmp_path: Path) -> None:
    """After kill -9 its programs hold their ports; the next watch takes them over, and tells."""
    variables = {
        "PROMETHEUS_BIN": str(prometheus),
        "GRAFANA_BIN": str(install(tmp_path / "grafana")),
        "PROMETHEUS_PORT": str(free_port()),
        "GRAFANA_PORT": str(free_port()),
    }
    with watching(tmp_path, **variables) as killed:
        lines_until(killed, "Stop with Ctrl-C.")
        left = children(killed)
        killed.kill()
        killed.communicate(timeout=SECONDS)
    assert all(one.is_running() for one in left)

    with watching(tmp_path, **variables) as process:
        lines = lines_until(process, "Stop with Ctrl-C.")
        (folder,) = tmp_path.glob("hotboard-watch-*")
        process.terminate()
        process.communicate(timeout=SECONDS)

    assert 2 == sum(line.startswith("Ended what a killed watch had left: ") for line in lines)
    assert not any(one.is_running() for one in left)
    assert folder.name.startswith(f"hotboard-watch-{process.pid}-")
    assert 0 == process.returncode


def test_a_watch_that_lives_is_left_alone(prometheus: Path, tmp_path: Path) -> None:
    """Two watches at once, on ports of their own, do not know each other."""
    variables = {"PROMETHEUS_BIN": str(prometheus), "PATH": str(tmp_path)}
    with watching(tmp_path, **variables, PROMETHEUS_PORT=str(free_port())) as one:
        lines_until(one, "Stop with Ctrl-C.")
        with watching(tmp_path, **variables, PROMETHEUS_PORT=str(free_port())) as other:
            lines = lines_until(other, "Stop with Ctrl-C.")
            folders = len(list(tmp_path.glob("hotboard-watch-*")))
            for process in (one, other):
                process.terminate()
                process.communicate(timeout=SECONDS)

    assert 2 == folders
    assert not any("killed watch" in line for line in lines)
    assert [0, 0] == [one.returncode, other.returncode]


def test_watch_stopped_while_grafana_starts_leaves_nothing(
    prometheus: Path, tmp_path: Path
) -> None:
    """A signal before everything is ready ends what has been started so far."""
    with watching(
        tmp_path,
        PROMETHEUS_BIN=str(prometheus),
        GRAFANA_BIN=str(install(tmp_path / "grafana", is_ready=False)),
        PROMETHEUS_PORT=str(free_port()),
        GRAFANA_PORT=str(free_port()),
    ) as process:
        while len(started := children(process)) < 2:
            assert process.poll() is None
        process.terminate()
        process.communicate(timeout=SECONDS)

    assert 0 == process.returncode
    assert not any(child.is_running() for child in started)


def test_all_that_keeps_a_watch_from_beginning_is_told_at_once(tmp_path: Path) -> None:
    """Both programs and every port."""
    with watching(
        tmp_path, PROMETHEUS_BIN="none", GRAFANA_BIN=str(tmp_path), LOADGEN_PORT="x"
    ) as process:
        out, problems = process.communicate(timeout=SECONDS)

    assert (2, "") == (process.returncode, out)
    assert [line.partition(" names ")[0].partition("=")[0] for line in problems.splitlines()] == [
        *("GRAFANA_BIN", "PROMETHEUS_BIN", "LOADGEN_PORT"),
    ]


def test_a_make_that_was_killed_at_once_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever started the watch is gone by the time that it looks for a parent."""
    with subprocess.Popen([sys.executable, "-c", ""]) as make:
        pass
    monkeypatch.setenv("HOTBOARD_MAKE_PID", str(os.getppid()))
    StopRequest().check()
    monkeypatch.setenv("HOTBOARD_MAKE_PID", str(make.pid))

    with pytest.raises(Stopped):
        StopRequest().check()
