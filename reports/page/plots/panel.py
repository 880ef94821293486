"""One panel of a plot: axes at a place in pixels, drawn as quietly as they can be."""

from dataclasses import dataclass
from itertools import pairwise
from math import log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.page.plots.svg import INK, LINE, MUTED
from reports.wording import cut

FONT_PX = 11
TITLE_PX = 12
LETTER_PX = 6.3
# Of the axis labels of times: what one of them takes, and the steps in a decade to choose from.
_LABEL_HEIGHT_PX = 15
_STEPS = ((1, 2, 5), (1, 3), (1,))


@dataclass(frozen=True)
class Place:
    """Where a panel lies in its figure, in pixels from the top left."""

    left: float
    top: float
    width: float
    height: float


def panel(figure: Figure, place: Place, title: str = "", *, grid: str = "y") -> Axes:
    """Axes without box or tick marks, with a grid and an optional title at the left."""
    width, height = (72 * side for side in figure.get_size_inches())
    bottom = height - place.top - place.height
    axes = figure.add_axes(
        (
            place.left / width,
            bottom / height,
            place.width / width,
            place.height / height,
        )
    )
    axes.patch.set_visible(False)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(LINE)
    axes.tick_params(length=0, which="both", labelsize=FONT_PX, labelcolor=MUTED, pad=5)
    if grid:
        axes.grid(axis="y" if grid == "y" else "x", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    if title:
        figure.text(
            place.left / width,
            1 - (place.top - 10) / height,
            title,
            color=INK,
            fontsize=TITLE_PX,
            fontweight="bold",
        )
    return axes


def fitting(text: str, width_px: float) -> str:
    """A name in the room that there is for it."""
    return cut(text, max(int(width_px / LETTER_PX), 3))


def log_ms_axis(axes: Axes, lowest: float, highest: float, height_px: float) -> None:
    """A logarithmic axis of milliseconds, labelled as densely as labels have room."""
    low, high = lowest / 1.3, highest * 1.3
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    decade_px = height_px / log10(high / low)
    steps = next(
        (one for one in _STEPS if _closest(one) * decade_px >= _LABEL_HEIGHT_PX), _STEPS[-1]
    )
    ticks = _ticks(low, high, steps)
    axes.set_yticks(ticks, [_time(tick) for tick in ticks])
    axes.set_yticks([], minor=True)


def _closest(steps: tuple[int, ...]) -> float:
    """The least distance of two labels, in decades."""
    return min(log10(after / before) for before, after in pairwise((*steps, 10)))


def _ticks(low: float, high: float, steps: tuple[int, ...]) -> list[float]:
    every = (step * 10.0**power for power in range(-4, 6) for step in steps)
    return [tick for tick in every if low <= tick <= high]


def _time(milliseconds: float) -> str:
    if milliseconds >= 1000:  # noqa: PLR2004  (a second)
        return f"{milliseconds / 1000:g} s"
    return f"{milliseconds:g} ms"
