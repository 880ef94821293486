"""Draws the panel in place, below what the terminal already shows.

rich's own Live display hides the cursor, forgets that a terminal that becomes narrower breaks the
lines it shows, and writes without asking whether anybody reads; so rich makes the text here, and
these few lines place it. Nothing is ever switched on that would have to be switched off again:
whatever ends the process, the terminal is in order.
"""

import io
from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.text import Text

_TO_LINE_START = "\r"
_CLEAR_BELOW = "\x1b[J"
_CLEAR_REST_OF_LINE = "\x1b[K"
_NEXT_LINE = "\r\n"


class Output(Protocol):
    """Where the panel is drawn."""

    @property
    def is_behind(self) -> bool:
        """Whether it has yet to take what it was given before."""
        ...

    def write(self, text: str) -> None:
        """Show a text."""
        ...


class PanelScreen:
    """Keeps the last panel as the last lines of a terminal, the cursor in the line after it."""

    def __init__(self, terminal: Output) -> None:
        self._terminal = terminal
        # what a terminal can show is read from the environment; where it is, does not matter
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
        self._terminal.write(f"{begin}{self._drawn}{_CLEAR_BELOW}")

    def print_above(self, text: str, columns: int) -> None:
        """Print lines above the panel, where they stay."""
        begin = self._to_top(columns)
        above = text.replace("\n", _NEXT_LINE)
        self._columns = columns
        self._terminal.write(f"{begin}{_CLEAR_BELOW}{above}{self._drawn}{_CLEAR_BELOW}")

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
