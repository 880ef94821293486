"""The panel as lines of text that fit a terminal of a given size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.text import Text

from locustfiles.live.snapshot import Figures, Keys, OperationRow, Phase, Snapshot, Title, Trouble

HEADING: Final = "dim"
_NOT_A_CAPACITY: Final = "host-limited: not a capacity"
# With long names the unit of the rates moves to the corner above them, which is wide enough then.
_COLUMNS: Final = ("offered/s", "achieved/s", "p50 ms", "p99 ms")
_NARROW_COLUMNS: Final = ("offered", "achieved", "p50 ms", "p99 ms")
_NARROW_CORNER: Final = "rates /s"
_GROUP_GAP: Final = "  "
_GROUPS: Final = 2
_ONE_DECIMAL_BELOW: Final = 100
_NOT_YET: Final = "hits per key: read from the service's counters in the measured phase"
_NO_COUNTERS: Final = "hits per key: the service's counters show none"
_NO_BOARDS: Final = "hits per key: this scenario touches no board key"
_FULL, _HALF, _EMPTY, _MARK = "█▌ │"
_GAP: Final = "   "
_SHARE_WIDTH: Final = len("100.0 %")
_HEAT_WIDTH: Final = len("12.00x")
_HITS_WIDTH: Final = len("9,999,999")
_FIGURES: Final = f"  {'share':>{_SHARE_WIDTH}}  {'heat':>{_HEAT_WIDTH}}  {'hits':>{_HITS_WIDTH}}"
_SHORTEST_BAR: Final = 8
# From these multiples of the fair share on, a bar looks warm, and hot.
_WARM, _HOT = 1.25, 1.75
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


def title_lines(title: Title, width: int) -> list[Text]:
    """The run by name and the caution about its figures; on two lines where one is too short."""
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
    """The width of the longest name and both groups of columns."""
    return _operations_name_width(snapshot) + _GROUPS * _group_width(_COLUMNS)


def operations_lines(snapshot: Snapshot, width: int) -> list[Text]:
    """Each operation in the last seconds and, where there is room, in the measured phase."""
    groups = [f"last {snapshot.recent_seconds} s", snapshot.measured_words]
    name_width = _operations_name_width(snapshot)
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


def _operations_name_width(snapshot: Snapshot) -> int:
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


@dataclass(frozen=True)
class _Scale:
    """How shares become lengths: a full bar is the largest share, or one and a half fair ones."""

    full_share: float
    fair_share: float
    cells: int

    def bar(self, share: float) -> Text:
        halves = round(share / self.full_share * self.cells * 2)
        mark = min(round(self.fair_share / self.full_share * self.cells), self.cells - 1)
        drawn = (_FULL * (halves // 2) + _HALF * (halves % 2)).ljust(self.cells, _EMPTY)
        heat = share / self.fair_share
        style = "red" if heat >= _HOT else "yellow" if heat >= _WARM else "green"
        return Text.assemble((drawn[:mark], style), (_MARK, "bold"), (drawn[mark + 1 :], style))


def keys_lines(snapshot: Snapshot, width: int, columns: int) -> list[Text]:
    """A heading and a bar for each key, in one column with figures or in several without."""
    keys = snapshot.keys
    if not keys.total:
        return [_no_hits(snapshot)]
    cell_width = (width - len(_GAP) * (columns - 1)) // columns
    bars = (_wide if columns == 1 else _narrow)(keys, cell_width)
    rows = -(-len(bars) // columns)
    lines = [_heading(snapshot, width, columns)]
    for row in range(rows):
        cells = bars[row::rows]
        lines.append(Text(_GAP).join(cells))
    return lines


def hottest_line(snapshot: Snapshot) -> Text:
    """The busiest key in words, for a terminal with few lines."""
    keys = snapshot.keys
    if not keys.total:
        return _no_hits(snapshot)
    name, hits = max(keys.hits, key=lambda one: one[1])
    share = keys.share(hits)
    return Text(
        f"hottest key {name}: {_percent(share)} of the hits, {_heat(keys, share)} a fair share"
    )


def _no_hits(snapshot: Snapshot) -> Text:
    words = _NO_COUNTERS if snapshot.is_measured_whole else _NOT_YET
    return Text(words if snapshot.touches_boards else _NO_BOARDS, style=HEADING)


def _heading(snapshot: Snapshot, width: int, columns: int) -> Text:
    fair = f"{_MARK} fair share {_percent(snapshot.keys.fair_share)}"
    words = f"hits per key, {snapshot.measured_words}; {fair}"
    figures = _FIGURES if columns == 1 else ""
    if len(words) + len(figures) > width:
        words = f"hits per key; {fair}"
    return Text(words.ljust(width - len(figures)) + figures, style=HEADING)


def _wide(keys: Keys, width: int) -> list[Text]:
    figures = _SHARE_WIDTH + _HEAT_WIDTH + _HITS_WIDTH + 2 * 4
    name_width = _keys_name_width(keys, width - figures)
    scale = _scale(keys, width - figures - name_width)
    return [
        Text.assemble(
            f"{_short(name, name_width)}  ",
            scale.bar(keys.share(hits)),
            f"  {_percent(keys.share(hits)):>{_SHARE_WIDTH}}",
            f"  {_heat(keys, keys.share(hits)):>{_HEAT_WIDTH}}  {hits:>{_HITS_WIDTH},}",
        )
        for name, hits in keys.hits
    ]


def _narrow(keys: Keys, width: int) -> list[Text]:
    name_width = _keys_name_width(keys, width - _SHARE_WIDTH - 2)
    scale = _scale(keys, width - _SHARE_WIDTH - 2 - name_width)
    return [
        Text.assemble(
            f"{_short(name, name_width)} ",
            scale.bar(keys.share(hits)),
            f" {_percent(keys.share(hits)):>{_SHARE_WIDTH}}",
        )
        for name, hits in keys.hits
    ]


def _scale(keys: Keys, cells: int) -> _Scale:
    largest = max(keys.share(hits) for _, hits in keys.hits)
    return _Scale(max(largest, 1.5 * keys.fair_share), keys.fair_share, max(cells, 1))


def _keys_name_width(keys: Keys, room: int) -> int:
    longest = max(len(name) for name, _ in keys.hits)
    return max(min(longest, room - _SHORTEST_BAR), 1)


def _short(name: str, width: int) -> str:
    """A name in its column; a long one keeps its end, in which keys differ."""
    return name.ljust(width) if len(name) <= width else f"…{name[len(name) - width + 1 :]}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _heat(keys: Keys, share: float) -> str:
    return f"{share / keys.fair_share:.2f}x"


def trouble_lines(snapshot: Snapshot) -> list[Text]:
    """A line for each kind of failure and for the drops, the most frequent first."""
    if not snapshot.troubles:
        return [trouble_line(snapshot)]
    found = _by_frequency(snapshot)
    label_width = max(len(_label(one)) for one in found)
    total_width = max(len(f"{one.total:,}") for one in found)
    lines = [
        Text.assemble(
            (f"{_label(one):<{label_width}}  {one.total:>{total_width},}", "bold red"),
            "  ",
            " · ".join(f"{name} {count:,}" for name, count in one.counts),
        )
        for one in found
    ]
    lines[-1].append(_awaited(snapshot))
    return lines


def trouble_line(snapshot: Snapshot) -> Text:
    """All of it on one line."""
    if snapshot.troubles:
        words = " · ".join(f"{_label(one)} {one.total:,}" for one in _by_frequency(snapshot))
        line = Text.assemble((words, "bold red"))
    else:
        line = Text.assemble(("no failures, nothing dropped", "green"))
    return line.append(_awaited(snapshot))


def _label(trouble: Trouble) -> str:
    return trouble.kind if trouble.kind == "dropped" else f"failed, {trouble.kind}"


def _by_frequency(snapshot: Snapshot) -> list[Trouble]:
    return sorted(snapshot.troubles, key=lambda one: -one.total)


def _awaited(snapshot: Snapshot) -> str:
    """The requests without an outcome, which are many when the service stalls."""
    match snapshot.waiting:
        case 0:
            return ""
        case 1:
            return " · 1 answer awaited"
        case many:
            return f" · {many:,} answers awaited"
