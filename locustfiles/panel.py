"""The live panel: one picture of the run, drawn anew every second."""

import time
from contextlib import ExitStack
from typing import Final, TextIO

import gevent

from locustfiles.panel_layout import panel_lines
from locustfiles.panel_screen import PanelScreen
from locustfiles.panel_source import PanelSource
from locustfiles.panel_streams import led_above
from locustfiles.panel_terminal import Terminal
from locustfiles.run_view import RunView

# While the players are loaded, and until the clock starts.
_LOADING_SECONDS: Final = 0.5
# On the schedule there is something new once a second, when the reports on it are in.
_REPORT_SECONDS: Final = 0.25


class Panel:
    """Draws a run on a terminal; the last picture is left standing, with the whole phase in it.

    It stays because its bars are nowhere else in the terminal, and because whoever stopped a run
    wants to see the figures for which it was stopped.
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
            pictures.rest(
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
        self._undo.enter_context(led_above(descriptor, self._print_above))

    def draw(self) -> None:
        """Draw the run as it is, and let the load go on in between."""
        snapshot = self._source.snapshot(time.monotonic() - self._begun_at)
        gevent.sleep(0)
        self._size = columns, rows = self._terminal.size()
        # the last column and row stay free: a terminal moves on when it fills them
        lines = panel_lines(snapshot, columns - 1, rows - 1)
        gevent.sleep(0)
        self._screen.draw(lines, columns)

    def rest(self, seconds: float) -> None:
        """Wait until the next picture is due, which is at once in a window of another size."""
        self._terminal.rest(seconds, self._size)

    def end(self) -> None:
        """Draw the last picture, and leave the terminal to others."""
        with self._undo:
            self.draw()
        self._terminal.write("\r\n")
        self._terminal.close()

    def _print_above(self, text: str) -> None:
        self._screen.print_above(text, self._terminal.size().columns)
