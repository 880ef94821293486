"""The live panel: one picture of the run, drawn in place every second."""

import contextlib
import io
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Final, Protocol, TextIO

import gevent
from rich.console import Console
from rich.text import Text

from locustfiles.live.panel_text import panel_lines
from locustfiles.live.run_view import RunView
from locustfiles.live.snapshot import PanelSource

_USUAL_SIZE: Final = os.terminal_size((80, 24))
_PATIENCE_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.05
# A window that keeps its size for so long is not being dragged any more.
_STEADY_SECONDS: Final = 0.2
# Between two pictures while the players are loaded, and until the clock starts.
_LOADING_SECONDS: Final = 0.5
# On the schedule there is a picture a second, when the workers' reports on it have arrived.
_REPORT_SECONDS: Final = 0.25
_TO_LINE_START: Final = "\r"
_CLEAR_BELOW: Final = "\x1b[J"
_CLEAR_REST_OF_LINE: Final = "\x1b[K"
_NEXT_LINE: Final = "\r\n"


class Panel:
    """Draws a run on a terminal; the last picture is left standing, with the whole phase in it.

    It stays because its bars are nowhere else in the terminal, and because the user who stops a run
    wants to see the figures that were the reason.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pictures: _Pictures | None = None

    def follow(self, view: RunView) -> None:
        """Draw a run until this greenlet is killed."""
        pictures = self._pictures = _Pictures(view, self._stream.fileno())
        while True:
            pictures.draw()
            clock = view.clock
            pictures.wait(
                _LOADING_SECONDS
                if clock is None
                else 1 - (clock.now_seconds() - _REPORT_SECONDS) % 1
            )

    def end(self) -> None:
        """Draw the run as it ended, and let the cursor go on below."""
        if self._pictures is not None:
            self._pictures.end()


class _Pictures:
    """The pictures of one run, on a terminal that is held from the first to the last."""

    def __init__(self, view: RunView, descriptor: int) -> None:
        self._terminal = Terminal(descriptor)
        self._screen = PanelScreen(self._terminal)
        self._source = PanelSource(view)
        self._begun_at = time.monotonic()
        self._size = self._terminal.size()
        self._undo = ExitStack()
        self._undo.enter_context(redirect_above(descriptor, self._print_above))

    def draw(self) -> None:
        """Draw the run as it is, and let the load go on in between."""
        snapshot = self._source.snapshot(time.monotonic() - self._begun_at)
        gevent.sleep(0)
        self._size = columns, rows = self._terminal.size()
        # the last column and row stay free: a terminal moves on when it fills them
        lines = panel_lines(snapshot, columns - 1, rows - 1)
        gevent.sleep(0)
        self._screen.draw(lines, columns)

    def wait(self, seconds: float) -> None:
        """Wait until the next picture is due, which is at once in a window of another size."""
        self._terminal.wait(seconds, self._size)

    def end(self) -> None:
        """Draw the last picture, and restore the streams."""
        with self._undo:
            self.draw()
        self._terminal.write_text("\r\n")
        self._terminal.close()

    def _print_above(self, text: str) -> None:
        self._screen.print_above(text, self._terminal.size().columns)


class Terminal:
    """Writes to a terminal without waiting for it; after an error nothing is written.

    What the terminal has no room for is kept and written with the next text.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = _private_copy(descriptor)
        self._pending = b""
        self._is_gone = False

    @property
    def is_behind(self) -> bool:
        """Whether the terminal has not taken all of the text before."""
        self._flush()
        return bool(self._pending)

    def size(self) -> os.terminal_size:
        """The size now; the usual one of a terminal that does not know its own."""
        try:
            size = os.get_terminal_size(self._descriptor)
        except OSError:
            return _USUAL_SIZE
        return size if size.columns and size.lines else _USUAL_SIZE

    def wait(self, seconds: float, drawn_for: os.terminal_size) -> None:
        """Wait so long, or until the size is another one and stays.

        While a window is dragged nothing should be drawn: the last picture takes another number of
        rows by the time that the terminal reads how far to go up.
        """
        end = time.monotonic() + seconds
        while True:
            before = self.size()
            left = max(end - time.monotonic(), 0)
            gevent.sleep(min(left, _STEADY_SECONDS) if before == drawn_for else _STEADY_SECONDS)
            size = self.size()
            if size == before and (size != drawn_for or time.monotonic() >= end):
                return

    def write_text(self, text: str) -> None:
        """Write a text, now or as soon as the terminal takes it."""
        self._pending += text.encode("utf-8", "replace")
        self._flush()

    def close(self) -> None:
        """Give the terminal a moment to take the rest, then close it."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while self.is_behind and time.monotonic() < end:
            gevent.sleep(_POLL_SECONDS)
        os.close(self._descriptor)

    def _flush(self) -> None:
        while self._pending and not self._is_gone:
            try:
                taken = os.write(self._descriptor, self._pending)
            except BlockingIOError:
                return
            except OSError:
                self._is_gone = True
            else:
                self._pending = self._pending[taken:]
        self._pending = b""


def _private_copy(descriptor: int) -> int:
    """A descriptor of our own, so that only ours becomes non-blocking.

    Flags belong to an open file, and ours is shared with make and the shell.
    """
    with contextlib.suppress(OSError):
        name = os.ttyname(descriptor)
        return os.open(name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.dup(descriptor)


class LinesAbove(io.TextIOBase):
    """A stream that passes on whole lines."""

    def __init__(self, print_lines: Callable[[str], None]) -> None:
        super().__init__()
        self._print_lines = print_lines
        self._begun = ""

    def write(self, text: str) -> int:
        """Pass on the whole lines; the begun one is kept until its end comes."""
        *whole, self._begun = f"{self._begun}{text}".split("\n")
        if whole:
            self._print_lines("".join(f"{line}\n" for line in whole))
        return len(text)

    def writable(self) -> bool:
        """It is."""
        return True

    def flush_rest(self) -> None:
        """Pass on the begun line as a whole one."""
        if self._begun:
            self.write("\n")


@contextlib.contextmanager
def redirect_above(descriptor: int, print_lines: Callable[[str], None]) -> Iterator[None]:
    """Print the standard streams and the log above the panel where they are on its terminal."""
    above = LinesAbove(print_lines)
    with contextlib.ExitStack() as undo:
        undo.callback(above.flush_rest)
        for handler in _log_handlers():
            if _is_on(handler.stream, descriptor):
                undo.callback(handler.setStream, handler.setStream(above))
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if _is_on(stream, descriptor):
                undo.callback(setattr, sys, name, stream)
                setattr(sys, name, above)
        yield


def _log_handlers() -> Iterator["logging.StreamHandler[Any]"]:
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    handlers = dict.fromkeys(one for logger in loggers for one in logger.handlers)
    for handler in handlers:
        if isinstance(handler, logging.StreamHandler):
            yield handler


def _is_on(stream: TextIO, descriptor: int) -> bool:
    """Whether a stream leads to the same terminal."""
    try:
        return os.fstat(stream.fileno()).st_rdev == os.fstat(descriptor).st_rdev
    except (OSError, ValueError):
        return False


class Output(Protocol):
    """Where the panel is drawn."""

    @property
    def is_behind(self) -> bool:
        """Whether it has not shown all of the text before."""
        ...

    def write_text(self, text: str) -> None:
        """Show a text."""
        ...


class PanelScreen:
    """Keeps the last panel as the last lines of a terminal, the cursor in the line after it."""

    def __init__(self, terminal: Output) -> None:
        self._terminal = terminal
        # the environment says what a terminal can show; the file does not matter
        self._console = Console(
            file=io.StringIO(), force_terminal=True, highlight=False, markup=False, emoji=False,
            legacy_windows=False,
        )  # fmt: skip
        self._drawn = ""
        self._widths: list[int] = []
        self._columns = 0

    def draw(self, lines: Sequence[Text], columns: int) -> None:
        """Draw the panel over the last one, on a terminal of so many columns."""
        if self._terminal.is_behind:
            return
        begin = self._to_top(columns)
        self._drawn = "".join(
            f"{self._encoded(line)}{_CLEAR_REST_OF_LINE}{_NEXT_LINE}" for line in lines
        )
        self._widths = [line.cell_len for line in lines]
        self._columns = columns
        self._terminal.write_text(f"{begin}{self._drawn}{_CLEAR_BELOW}")

    def print_above(self, text: str, columns: int) -> None:
        """Print lines above the panel, where they stay."""
        begin = self._to_top(columns)
        above = text.replace("\n", _NEXT_LINE)
        self._columns = columns
        self._terminal.write_text(f"{begin}{_CLEAR_BELOW}{above}{self._drawn}{_CLEAR_BELOW}")

    def _to_top(self, columns: int) -> str:
        """Back to the first line of the panel, which a narrower terminal has broken into more."""
        rows = len(self._widths)
        is_resized = rows > 0 and columns != self._columns
        if is_resized:
            rows = sum(max(-(-width // columns), 1) for width in self._widths)
        up = f"\x1b[{rows}A" if rows else ""
        return _TO_LINE_START + up + (_CLEAR_BELOW if is_resized else "")

    def _encoded(self, line: Text) -> str:
        with self._console.capture() as capture:
            self._console.print(line, end="", soft_wrap=True)
        return capture.get()
