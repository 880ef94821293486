"""A terminal made of memory: what a screen looks like after the text it was sent.

It knows no more than the panel uses: text, line ends, going up, clearing; and like most terminals
it breaks its lines anew when its width changes.
"""

import re

_PIECE = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[[\d;]*m|\r\n|\r|[^\x1b\r\n]+")


class GlassTerminal:
    """Rows of text, the last of which are on the screen, and a cursor at the start of one."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self._rows = rows
        self._lines = [""]
        self._row = 0
        self._column = 0

    def feed(self, text: str) -> None:
        """Show what is sent."""
        position = 0
        while position < len(text):
            piece = _PIECE.match(text, position)
            assert piece, f"not understood: {text[position : position + 20]!r}"
            position = piece.end()
            self._take(piece[0], piece[1], piece[2])

    def resize(self, columns: int) -> None:
        """Break the lines anew; the cursor stays with the text it stood at."""
        broken: list[str] = []
        for number, line in enumerate(self._lines):
            if number == self._row:
                row = len(broken)
            broken += [line[at : at + columns] for at in range(0, max(len(line), 1), columns)]
        self._lines, self._row, self.columns = broken, row, columns

    def text(self) -> str:
        """Everything that is shown, and what has moved up out of sight."""
        return "".join(f"{line.rstrip()}\n" for line in self._lines)

    def _take(self, piece: str, number: str | None, command: str | None) -> None:
        match command:
            case "A":
                top = max(len(self._lines) - self._rows, 0)
                self._row = max(self._row - int(number or 1), top)
            case "J":
                self._lines[self._row] = self._lines[self._row][: self._column]
                del self._lines[self._row + 1 :]
            case "K":
                self._lines[self._row] = self._lines[self._row][: self._column]
            case None:
                self._write(piece)

    def _write(self, piece: str) -> None:
        if piece.startswith("\r"):
            self._column = 0
            self._row += piece == "\r\n"
        elif not piece.startswith("\x1b"):
            for letter in piece:
                self._put(letter)
        if self._row == len(self._lines):
            self._lines.append("")

    def _put(self, letter: str) -> None:
        if self._column == self.columns:
            self._column = 0
            self._row += 1
            if self._row == len(self._lines):
                self._lines.append("")
        line = self._lines[self._row].ljust(self._column)
        self._lines[self._row] = line[: self._column] + letter + line[self._column + 1 :]
        self._column += 1
