"""Each key's share of the load as bars, against the share that would be fair."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.page.plots.panel import ACCENT, FONT_PX, INK, LETTER_PX, MUTED, Place, figure, panel
from reports.wording import told_apart

_ROW, _TOP, _BOTTOM, _GAP, _VALUE = 20, 46, 14, 34, 56
_ROOM_FOR_COLUMNS = 600
# What names may take of a panel at most; the bars are what it is for.
_MOST_NAME = 0.45


@dataclass(frozen=True)
class KeyBars:
    """The shares of one panel's keys, hottest first."""

    title: str
    shares: Sequence[tuple[str, float]]
    colour: str = ACCENT


def keys_plot(panels: Sequence[KeyBars], fair_share: float | None, width: int) -> Figure:
    """Panels side by side where there is room, else below each other; one scale for all."""
    longest = max((len(key) for one in panels for key, _ in one.shares), default=0) * LETTER_PX
    columns = len(panels)
    if width < _ROOM_FOR_COLUMNS or longest > _MOST_NAME * width / columns:
        columns = 1
    left = min(longest, _MOST_NAME * width / columns) + 10
    bars = width / columns - left - _VALUE - (_GAP if columns > 1 else 0) / 2
    heights = [_TOP + max(1, len(one.shares)) * _ROW + _BOTTOM for one in panels]
    drawing = figure(width, max(heights) if columns > 1 else sum(heights))
    highest = max([share for one in panels for _, share in one.shares] + [fair_share or 0, 1e-9])
    for number, one in enumerate(panels):
        column = number if columns > 1 else 0
        above = 0 if columns > 1 else sum(heights[:number])
        place = Place(
            left + column * (width + _GAP) / columns,
            above + _TOP,
            bars,
            max(1, len(one.shares)) * _ROW,
        )
        _bars(panel(drawing, place, grid=""), one, highest, fair_share, left - 10)
        _title(drawing, one.title, place.left - left, above + 14)
    return drawing


def _bars(
    axes: Axes, bars: KeyBars, highest: float, fair_share: float | None, name_px: float
) -> None:
    rows = range(len(bars.shares))
    axes.barh(rows, [share for _, share in bars.shares], height=0.62, color=bars.colour)
    axes.set_yticks(rows, told_apart([key for key, _ in bars.shares], int(name_px / LETTER_PX)))
    axes.tick_params(axis="y", labelcolor=INK)
    axes.set_ylim(len(bars.shares) - 0.5 if bars.shares else 0.5, -0.5)
    axes.set_xlim(0, highest)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    for row, (_, share) in zip(rows, bars.shares, strict=True):
        axes.annotate(
            f"{share * 100:.1f} %",
            # Right of the dashed line, so that it never crosses the figure.
            (max(share, fair_share or 0), row),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=FONT_PX,
        )
    if fair_share:
        axes.axvline(fair_share, color=MUTED, linewidth=1.2, linestyle=(0, (3, 2)))
        axes.annotate(
            f"fair {fair_share * 100:.1f} %",
            (fair_share, -0.5),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            color=MUTED,
            fontsize=FONT_PX,
        )


def _title(drawing: Figure, text: str, left: float, top: float) -> None:
    width, height = (72 * side for side in drawing.get_size_inches())
    drawing.text(left / width, 1 - top / height, text, color=INK, fontsize=12, fontweight="bold")
