import codecs
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from glass_terminal import GlassTerminal
from locust_runs import LOCUST, PATIENCE_SECONDS, ROOT, LocustRun, Stub, until
from pty_pairs import open_pty, read_now

LINES = re.MULTILINE
OPTIONS = ("--warmup", "0", "--duration", "3")
SIZE = (140, 40)  # wide enough for a line of the log


def start_on(
    terminal: int, url: str, directory: Path, *options: str, **environment: str
) -> LocustRun:
    """Start a run whose output is a terminal; as under make, it is in a session of its own."""
    clean = {name: value for name, value in os.environ.items() if name not in {"CI", "NO_COLOR"}}
    command = (*LOCUST, "--headless", "--loglevel", "INFO", "--host", url, "--metrics-port", "0")
    process = subprocess.Popen(
        (*command, "--run-dir", str(directory), *options),
        cwd=ROOT,
        env=clean | {"TERM": "xterm-256color"} | environment,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    return LocustRun(directory, process)


class Watcher:
    """A user before the terminal, who misses no picture."""

    def __init__(self, reader: int) -> None:
        self.raw = ""
        self._reader = reader
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._glass = GlassTerminal(*SIZE)
        self._fed = 0
        self._pictures = [self._glass.text()]
        self._looked_at = 0

    def sees(self, pattern: str) -> bool:
        """Look on, from picture to picture, to one that has this."""
        self._read()
        for number in range(self._looked_at, len(self._pictures)):
            self._looked_at = number
            if re.search(pattern, self.picture):
                return True
        return False

    @property
    def picture(self) -> str:
        """The picture that is looked at."""
        return self._pictures[self._looked_at]

    def screen(self) -> str:
        """What the terminal shows by now."""
        self._read()
        return self._pictures[-1]

    def _read(self) -> None:
        """Take a picture after each line; what follows the last one may be half a command."""
        self.raw += self._decoder.decode(read_now(self._reader))
        end = self.raw.rfind("\n") + 1
        lines, self._fed = self.raw[self._fed : end], end
        for line in lines.splitlines(keepends=True):
            self._glass.feed(line)
            self._pictures.append(self._glass.text())


def test_a_run_on_a_terminal_is_one_panel(make_stub: Callable[[], Stub], tmp_path: Path) -> None:
    """It is drawn in place, log lines stand above it, and the last picture has the whole phase."""
    with open_pty(*SIZE) as (reader, terminal):
        run = start_on(terminal, make_stub().url, tmp_path / "run", *OPTIONS)
        watcher = Watcher(reader)
        until(lambda: watcher.sees(r"\d of 3 s, \d s left"), "the panel shows the measured phase")
        until(lambda: watcher.sees("measured phase so far"), "the panel shows the whole phase")
        until(lambda: watcher.sees("Shutting down"), "the run ends")
        code = run.wait()
        after = watcher.screen()

    assert 0 == code
    head = (
        r"peak · naive · scale 0\.001 · 12,000 players +host-limited: not a capacity\ncompleted  ━"
    )
    assert 1 == len(re.findall(head, after))
    assert 1 == after.count("peak · naive")
    assert "3 of 3 s measured" in after
    assert re.search(r"^submit      240\.0 +\d+\.\d .* 240\.0 +\d+\.\d ", after, LINES)
    assert after.index("All users spawned") < after.index("peak · naive")
    assert re.search(r"nothing dropped\n\n\[.*Shutting down \(exit code 0\)\n\n$", after)
    assert "\x1b[?" not in watcher.raw


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_run_leaves_the_terminal_in_order(
    make_stub: Callable[[], Stub], tmp_path: Path, number: signal.Signals
) -> None:
    """The last picture says how far it came, the reason follows, and the cursor is below."""
    with open_pty(*SIZE) as (reader, terminal):
        run = start_on(terminal, make_stub().url, tmp_path / "run", "--warmup", "0")
        watcher = Watcher(reader)
        until(lambda: watcher.sees(r"\d+ of 60 s"), "the measured phase has begun")
        run.interrupt(number)
        until(lambda: watcher.sees("Shutting down"), "the run ends")
        code = run.wait()
        after = watcher.screen()

    assert 3 == code
    assert 1 == after.count("peak · naive")
    assert re.search(r"^interrupted  .* of 60 s measured$", after, LINES)
    assert re.search(rf"dropped.*\n\ninterrupted: stopped by {number.name}.*\n", after)


def test_a_terminal_that_goes_away_ends_no_run(
    make_stub: Callable[[], Stub], tmp_path: Path
) -> None:
    """When the window closes without a signal, only the picture is lost."""
    with open_pty(*SIZE) as (reader, terminal):
        run = start_on(terminal, make_stub().url, tmp_path / "run", *OPTIONS)
        os.close(terminal)
        watcher = Watcher(reader)
        until(lambda: watcher.sees(r"\d of 3 s"), "the measured phase has begun")
        os.close(reader)
        code = run.wait()

    assert 0 == code
    assert "completed" == run.measurements["ended"]


@pytest.mark.parametrize(
    "environment", [{"CI": "1"}, {"TERM": "dumb"}], ids=["CI", "dumb terminal"]
)
def test_plain_lines_where_nobody_could_see_a_panel(
    make_stub: Callable[[], Stub], tmp_path: Path, environment: dict[str, str]
) -> None:
    """The same lines as in a pipe, one at each change of phase."""
    with open_pty(*SIZE) as (reader, terminal):
        run = start_on(terminal, make_stub().url, tmp_path / "run", *OPTIONS, **environment)
        run.wait()
        text = read_now(reader).decode().replace("\r\n", "\n")

    assert "\x1b" not in text
    assert "loading   12,000 of 12,000 players\n" in text
    assert re.search(r"^measured  3 of 3 s  offered 1,020  ok [\d,]+  failed 0 ", text, LINES)


def test_a_paused_terminal_pauses_no_run(make_stub: Callable[[], Stub], tmp_path: Path) -> None:
    """The terminal does not read, as after Ctrl-S, and everything is sent in time all the same."""
    with open_pty() as (_, terminal):
        run = start_on(terminal, make_stub().url, tmp_path / "run", *OPTIONS, "--loglevel", "ERROR")
        code = run.main.wait(timeout=PATIENCE_SECONDS)

    assert 0 == code
    assert 720 == run.measurements["operations"]["submit"]["offered"]
