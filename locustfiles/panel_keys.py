"""Hits per key as bars against the fair share."""

from dataclasses import dataclass
from typing import Final

from rich.text import Text

from locustfiles.panel_blocks import HEADING
from locustfiles.panel_snapshot import Keys, Snapshot

_NOT_YET: Final = "hits per key: read from the service's counters in the measured phase"
_UNTOLD: Final = "hits per key: the service's counters told of none"
_NONE: Final = "hits per key: this scenario touches no board key"
_FULL, _HALF, _EMPTY, _MARK = "█▌ │"
_GAP: Final = "   "
_SHARE_WIDTH: Final = len("100.0 %")
_HEAT_WIDTH: Final = len("12.00x")
_HITS_WIDTH: Final = len("9,999,999")
_FIGURES: Final = f"  {'share':>{_SHARE_WIDTH}}  {'heat':>{_HEAT_WIDTH}}  {'hits':>{_HITS_WIDTH}}"
_SHORTEST_BAR: Final = 8
# From these multiples of the fair share on, a bar looks warm, and hot.
_WARM, _HOT = 1.25, 1.75


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
    words = _UNTOLD if snapshot.is_measured_whole else _NOT_YET
    return Text(words if snapshot.touches_boards else _NONE, style=HEADING)


def _heading(snapshot: Snapshot, width: int, columns: int) -> Text:
    fair = f"{_MARK} fair share {_percent(snapshot.keys.fair_share)}"
    words = f"hits per key, {snapshot.measured_words}; {fair}"
    figures = _FIGURES if columns == 1 else ""
    if len(words) + len(figures) > width:
        words = f"hits per key; {fair}"
    return Text(words.ljust(width - len(figures)) + figures, style=HEADING)


def _wide(keys: Keys, width: int) -> list[Text]:
    figures = _SHARE_WIDTH + _HEAT_WIDTH + _HITS_WIDTH + 2 * 4
    name_width = _name_width(keys, width - figures)
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
    name_width = _name_width(keys, width - _SHARE_WIDTH - 2)
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


def _name_width(keys: Keys, room: int) -> int:
    longest = max(len(name) for name, _ in keys.hits)
    return max(min(longest, room - _SHORTEST_BAR), 1)


def _short(name: str, width: int) -> str:
    """A name in its column; keys are told apart by their ends."""
    return name.ljust(width) if len(name) <= width else f"…{name[len(name) - width + 1 :]}"


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _heat(keys: Keys, share: float) -> str:
    return f"{share / keys.fair_share:.2f}x"
