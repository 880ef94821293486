import codecs
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from glass_terminal import GlassTerminal
from hypothesis import given, settings
from hypothesis import strategies as st
from locust_runs import LOCUST, PATIENCE_SECONDS, ROOT, LocustRun, Stub, until
from pty_pairs import open_pty, read_now, set_size
from rich.text import Text

from locustfiles.live import panel as panel_terminal
from locustfiles.live.panel import PanelScreen, Terminal, redirect_above


class Sent:
    """Takes the place of a terminal: shows what it is sent, unless it is behind."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        self.glass = GlassTerminal(columns, rows)
        self.is_behind = False
        self.raw = ""

    def write_text(self, text: str) -> None:
        """Show a text."""
        self.raw += text
        self.glass.feed(text)


def lines(*texts: str) -> list[Text]:
    """A picture."""
    return [Text(text, style="red") for text in texts]


def test_a_picture_takes_the_place_of_the_last() -> None:
    """What was there before stays, and no rest of a longer picture does."""
    terminal = Sent()
    terminal.write_text("$ make\r\n")
    screen = PanelScreen(terminal)
    screen.draw(lines("one", "a longer second", "third"), 80)
    screen.draw(lines("eins", "short"), 80)

    assert "$ make\neins\nshort\n\n" == terminal.glass.text()


def test_lines_above_stay_above() -> None:
    """A line of the log comes before the picture, which is drawn again below it."""
    terminal = Sent()
    screen = PanelScreen(terminal)
    screen.print_above("before any\n", 80)
    screen.draw(lines("one", "two"), 80)
    screen.print_above("a warning\nin two lines\n", 80)
    screen.draw(lines("uno", "due"), 80)

    assert "before any\na warning\nin two lines\nuno\ndue\n\n" == terminal.glass.text()


def test_what_is_typed_meanwhile_goes_away() -> None:
    """The ^C that a terminal shows is cleared with the next picture."""
    terminal = Sent()
    screen = PanelScreen(terminal)
    screen.draw(lines("one", "two"), 80)
    terminal.write_text("^C")
    screen.draw(lines("one", "two"), 80)

    assert "one\ntwo\n\n" == terminal.glass.text()


@settings(deadline=None)  # under load a frame may take its time
@given(
    st.lists(st.integers(20, 200), min_size=1, max_size=5),
    st.lists(st.integers(0, 210), min_size=1, max_size=12),
)
def test_a_picture_survives_every_resize(widths: list[int], lengths: list[int]) -> None:
    """However the terminal broke the last picture's lines, the next one replaces all of them."""
    terminal = Sent(columns=widths[0], rows=200)
    terminal.write_text("$ make\r\n")
    screen = PanelScreen(terminal)
    for columns in widths:
        terminal.glass.resize(columns)
        shown = ["x" * min(length, columns - 1) for length in lengths]
        screen.draw(lines(*shown), columns)

        assert "".join(f"{line}\n" for line in ("$ make", *shown, "")) == terminal.glass.text()


def test_a_terminal_that_is_behind_misses_pictures() -> None:
    """Nothing is drawn until it has taken the last one, and then the newest."""
    terminal = Sent()
    screen = PanelScreen(terminal)
    screen.draw(lines("one"), 80)
    terminal.is_behind = True
    screen.draw(lines("two"), 80)
    assert "one\n\n" == terminal.glass.text()

    terminal.is_behind = False
    screen.draw(lines("three"), 80)
    assert "three\n\n" == terminal.glass.text()


@pytest.mark.parametrize(("variable", "is_coloured"), [("HOTBOARD_X", True), ("NO_COLOR", False)])
def test_colours_are_used_where_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, variable: str, *, is_coloured: bool
) -> None:
    """And nothing is switched on that would have to be switched off again."""
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(variable, "1")
    terminal = Sent()
    PanelScreen(terminal).draw(lines("one"), 80)

    assert is_coloured == ("\x1b[31m" in terminal.raw)
    assert "\x1b[?" not in terminal.raw
    assert os.environ["TERM"] == "xterm-256color"


def test_what_is_printed_on_the_terminal_is_shown_above(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole lines of the standard streams and the log; afterwards all is as it was."""
    logger = logging.getLogger("a logger of this test")
    logger.propagate = False
    above: list[str] = []
    with open_pty() as (reader, descriptor), os.fdopen(os.dup(descriptor), "w") as stream:
        handler = logging.StreamHandler(stream)
        logger.addHandler(handler)
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(sys, "stderr", stream)
        with redirect_above(descriptor, above.append):
            logger.warning("a warning")
            sys.stdout.write("half a")
            sys.stderr.write(" line\n")
            sys.stdout.write("no end")
            assert b"" == read_now(reader)
        logger.removeHandler(handler)

        assert (stream, stream, stream) == (sys.stdout, sys.stderr, handler.stream)
    assert ["a warning\n", "half a line\n", "no end\n"] == above


def test_what_goes_elsewhere_goes_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log in a file is not for the terminal, nor is an output that was redirected."""
    above: list[str] = []
    with open_pty() as (_, descriptor), (tmp_path / "log").open("w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with redirect_above(descriptor, above.append):
            sys.stderr.write("to the file\n")

    assert [] == above
    assert "to the file\n" == (tmp_path / "log").read_text()


MUCH = "x" * 1_000_000


def test_the_size_is_asked_for_again_and_again() -> None:
    """It follows the window; a terminal that does not know its size has the usual one."""
    with open_pty(200, 50) as (_, descriptor):
        terminal = Terminal(descriptor)
        wide = terminal.size()
        set_size(descriptor, 80, 10)
        narrow = terminal.size()
        set_size(descriptor, 0, 0)
        unknown = terminal.size()
        terminal.close()

    assert ((200, 50), (80, 10), (80, 24)) == (wide, narrow, unknown)


@pytest.mark.parametrize(
    ("dragged_to", "slept"),
    [
        ([], [0.2, 0.2, 0.2, 0.2, 0.2]),
        ([100, 100, 90, 80], [0.2, 0.2, 0.2, 0.2, 0.2]),
        ([90, 80, 90, 80, 90, 80, 90, 80], [0.2] * 9),
    ],
    ids=["same size", "dragged once", "dragged beyond the time"],
)
def test_a_window_that_is_dragged_is_drawn_when_it_stands_still(
    monkeypatch: pytest.MonkeyPatch, dragged_to: list[int], slept: list[float]
) -> None:
    """At once then, but never in between, when no escape would find the picture's top."""
    with open_pty(100, 30) as (_, end):
        terminal = Terminal(end)
        sizes, naps = iter(dragged_to), []

        def nap(seconds: float) -> None:
            naps.append(round(seconds, 6))
            if (columns := next(sizes, None)) is not None:
                set_size(end, columns, 30)

        monkeypatch.setattr(panel_terminal, "gevent", SimpleNamespace(sleep=nap))
        clock = SimpleNamespace(monotonic=lambda: round(sum(naps), 6))
        monkeypatch.setattr(panel_terminal, "time", clock)
        terminal.wait(1.0, os.terminal_size((100, 30)))

        assert slept == naps


def test_a_write_does_not_wait_for_a_reader() -> None:
    """What the terminal does not take at once is owed, until it is taken."""
    with open_pty() as (reader, descriptor):
        terminal = Terminal(descriptor)
        terminal.write_text(MUCH)
        assert terminal.is_behind

        taken = 0
        while terminal.is_behind or taken < len(MUCH):
            taken += len(read_now(reader))
        terminal.close()

    assert len(MUCH) == taken


def test_others_still_wait_for_the_terminal() -> None:
    """Only our own descriptor refuses to wait: make and the shell share the one we were given."""
    with open_pty() as (_, descriptor):
        terminal = Terminal(descriptor)
        terminal.close()

        assert os.get_blocking(descriptor)


def test_a_reader_that_does_not_come_back_is_given_up() -> None:
    """The end of a run does not depend on it."""
    with open_pty() as (_, descriptor):
        terminal = Terminal(descriptor)
        terminal.write_text(MUCH)
        terminal.close()


def test_a_terminal_may_go_away() -> None:
    """Its window is closed: nothing is pending any more, and no error is raised."""
    with open_pty() as (reader, descriptor):
        terminal = Terminal(descriptor)
        os.close(reader)
        terminal.write_text("to a closed window")

        assert not terminal.is_behind
        terminal.close()


def test_what_is_no_terminal_is_written_to_all_the_same() -> None:
    """The name of a terminal may not lead to it, as in a container: then its copy is used."""
    reading, writing = os.pipe()
    terminal = Terminal(writing)
    terminal.write_text("text")
    terminal.close()
    os.close(writing)

    assert b"text" == os.read(reading, 100)
    assert (80, 24) == terminal.size()
    os.close(reading)


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
def test_plain_lines_where_no_panel_can_be_drawn(
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
