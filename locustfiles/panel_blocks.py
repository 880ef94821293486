"""The parts of the panel that are text and figures, each as lines of a given width."""

from typing import Final

from rich.text import Text

from locustfiles.panel_snapshot import Figures, OperationRow, Phase, Snapshot, Title

HEADING: Final = "dim"
_NOT_A_CAPACITY: Final = "host-limited: not a capacity"
# offered/s, achieved/s, p50, p99: the widths of their columns, each with a space before it
_COLUMNS: Final = (9, 10, 6, 6)
_NAME_WIDTH: Final = 6
_GROUP_WIDTH: Final = sum(_COLUMNS) + len(_COLUMNS) - 1
OPERATIONS_WIDTH: Final = _NAME_WIDTH + 2 * (2 + _GROUP_WIDTH)
_ONE_DECIMAL_BELOW: Final = 100


def title_lines(title: Title, width: int) -> list[Text]:
    """The run by name, and what its figures are not; on two lines where one is too short."""
    name = Text(
        f"{title.scenario} · {title.mode} · scale {title.scale} · {title.players:,} players",
        style="bold",
    )
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


def operations_lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Each operation in the last seconds and, where there is room, in the measured phase."""
    groups = [f"last {snapshot.recent_seconds} s", snapshot.measured_words]
    if width < OPERATIONS_WIDTH:
        groups.pop()
    columns = ("offered/s", "achieved/s", "p50 ms", "p99 ms")
    above = "".join(f"  {f' {group} '.center(_GROUP_WIDTH, '─')}" for group in groups)
    header = " ".join(name.rjust(size) for name, size in zip(columns, _COLUMNS, strict=True))
    blank = " " * _NAME_WIDTH
    return [
        Text(f"{blank}{above}", style=HEADING),
        Text(f"{blank}{f'  {header}' * len(groups)}", style=HEADING),
        *(_operation_line(row, len(groups)) for row in snapshot.operations),
    ]


def _operation_line(row: OperationRow, groups: int) -> Text:
    line = Text.assemble((row.name.ljust(_NAME_WIDTH), "bold"))
    for figures in (row.recent, row.measured)[:groups]:
        line.append("  ")
        cells = (text.rjust(size) for text, size in zip(_cells(figures), _COLUMNS, strict=True))
        line.append(" ".join(cells))
    return line


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
