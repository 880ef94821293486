"""Puts the parts of the panel together, so that they fit the terminal they are for."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from locustfiles.panel_blocks import (
    operations_lines,
    operations_width,
    phase_line,
    title_lines,
)
from locustfiles.panel_keys import hottest_line, keys_lines
from locustfiles.panel_snapshot import Snapshot
from locustfiles.panel_troubles import trouble_line, trouble_lines

_GUTTER: Final = 4
# What the keys need at least to stand beside the operations.
_KEYS_WIDTH: Final = 64
_WIDEST: Final = 190
_BLANK: Final = Text()

Lines = list[Text]


def panel_lines(snapshot: Snapshot, width: int, height: int) -> Lines:
    """The panel in at most so many lines, none longer than the width."""
    if width < 1:
        return []  # not even an ellipsis has room
    width = min(width, _WIDEST)
    lines: Lines = []
    for lines in _arrangements(snapshot, width):
        if len(lines) <= height:
            break
    fitting = [line.copy() for line in lines[:height]]
    for line in fitting:
        line.truncate(width, overflow="ellipsis")
    return fitting


def _arrangements(snapshot: Snapshot, width: int) -> Iterator[Lines]:
    """All ways to arrange the panel, the one that shows most first."""
    head = [*title_lines(snapshot.title, width), phase_line(snapshot.phase, width)]
    figures = operations_lines(snapshot, width)
    troubles = trouble_lines(snapshot)
    left_width = operations_width(snapshot)
    right_width = width - left_width - _GUTTER
    if right_width >= _KEYS_WIDTH:
        left = [*figures, _BLANK, *troubles]
        for columns in (1, 2):
            right = keys_lines(snapshot, right_width, columns)
            yield [*head, _BLANK, *_side_by_side(left, right, left_width)]
    for columns in (1, 2):
        keys = keys_lines(snapshot, width, columns)
        yield [*head, _BLANK, *figures, _BLANK, *keys, _BLANK, *troubles]
    yield [*head, *figures, *keys, trouble_line(snapshot)]
    yield [*head, *figures, hottest_line(snapshot), trouble_line(snapshot)]
    yield [*head, trouble_line(snapshot)]


def _side_by_side(left: Lines, right: Lines, left_width: int) -> Lines:
    lines = []
    for row in range(max(len(left), len(right))):
        line = left[row].copy() if row < len(left) else Text()
        if row < len(right):
            line.truncate(left_width, overflow="ellipsis")
            line.append(" " * (left_width + _GUTTER - line.cell_len))
            line.append_text(right[row])
        lines.append(line)
    return lines
