"""The parts of the panel that are text and figures, each as lines of a given width."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from locustfiles.panel_snapshot import Figures, OperationRow, Phase, Snapshot, Title

HEADING: Final = "dim"
_NOT_A_CAPACITY: Final = "host-limited: not a capacity"
# With long names the unit of the rates moves to the corner above them, which is wide enough then.
_COLUMNS: Final = ("offered/s", "achieved/s", "p50 ms", "p99 ms")
_NARROW_COLUMNS: Final = ("offered", "achieved", "p50 ms", "p99 ms")
_NARROW_CORNER: Final = "rates /s"
_GROUP_GAP: Final = "  "
_GROUPS: Final = 2
_ONE_DECIMAL_BELOW: Final = 100


def title_lines(title: Title, width: int) -> list[Text]:
    """The run by name, and what its figures are not; on two lines where one is too short."""
    parts = [title.scenario, title.mode, f"scale {title.scale}"]
    parts.append(None if title.players is None else f"{title.players:,} players")
    name = Text(" · ".join(part for part in parts if part is not None), style="bold")
    gap = width - name.cell_len - len(_NOT_A_CAPACITY)
    caution = Text(_NOT_A_CAPACITY, style="yellow")
    return [name, caution] if gap < 1 else [Text.assemble(name, " " * gap, caution)]


def phase_line(phase: Phase, width: int) -> Text:
    """The phase with its progress bar, and how long it still takes."""
    words = f"  {phase.words}"
    line = Text.assemble((phase.name, "bold cyan"))
    if phase.done is not None:
        room = max(width - len(phase.name) - len(words) - 2, 0)
        done = round(phase.done * room)
        line.append("  ")
        line.append("━" * done, style="cyan")
        line.append("─" * (room - done), style="dim")
    return line.append(words)


def operations_width(snapshot: Snapshot) -> int:
    """What all of it takes: the longest name, then both groups of columns."""
    return _name_width(snapshot) + _GROUPS * _group_width(_COLUMNS)


def operations_lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Each operation in the last seconds and, where there is room, in the measured phase."""
    groups = [f"last {snapshot.recent_seconds} s", snapshot.measured_words]
    name_width = _name_width(snapshot)
    columns, corner = _COLUMNS, ""
    if width < operations_width(snapshot) and name_width >= len(_NARROW_CORNER):
        columns, corner = _NARROW_COLUMNS, _NARROW_CORNER
    group_width = _group_width(columns)
    if width < name_width + len(groups) * group_width:
        groups.pop()
    size = group_width - len(_GROUP_GAP)
    above = "".join(f"{_GROUP_GAP}{f' {group} '.center(size, '─')}" for group in groups)
    header = f"{_GROUP_GAP}{' '.join(columns)}" * len(groups)
    return [
        Text(f"{'':{name_width}}{above}", style=HEADING),
        Text(f"{corner:{name_width}}{header}", style=HEADING),
        *(
            Text.assemble(
                (row.name.ljust(name_width), "bold"), *_groups(row, columns)[: len(groups)]
            )
            for row in snapshot.operations
        ),
    ]


def _name_width(snapshot: Snapshot) -> int:
    return max((len(row.name) for row in snapshot.operations), default=0)


def _group_width(columns: Sequence[str]) -> int:
    return len(_GROUP_GAP) + len(" ".join(columns))


def _groups(row: OperationRow, columns: Sequence[str]) -> list[str]:
    """The figures of the last seconds and of the measured phase, each below its header."""
    return [
        _GROUP_GAP
        + " ".join(
            cell.rjust(len(column)) for cell, column in zip(_cells(figures), columns, strict=True)
        )
        for figures in (row.recent, row.measured)
    ]


def _cells(figures: Figures | None) -> tuple[str, ...]:
    if figures is None:
        return ("-",) * len(_COLUMNS)
    return (
        _number(figures.offered_per_second, 1000),
        _number(figures.achieved_per_second, 1000),
        _number(figures.p50_ms, _ONE_DECIMAL_BELOW),
        _number(figures.p99_ms, _ONE_DECIMAL_BELOW),
    )


def _number(value: float | None, one_decimal_below: int) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if value < one_decimal_below else f"{value:,.0f}"
