"""The frame of every plot: axes at a place in pixels, and the figure as SVG inside a page."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from math import log10

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.wording import cut

WIDE_PX = 840
NARROW_PX = 346

INK = "#010101"
MUTED = "#020202"
LINE = "#030303"
ACCENT = "#040404"
SOFT = "#050505"
BAD = "#060606"
WARN = "#070707"

_VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    ACCENT: "var(--accent)",
    SOFT: "var(--accent-soft)",
    BAD: "var(--bad)",
    WARN: "var(--warn)",
}
_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))

Draw = Callable[[int], Figure]


def themed_plot(draw: Draw, name: str, description: str) -> Markup:
    """The plot for wide and for narrow screens; the page's style shows one of them."""
    parts = [
        f'<div class="plot {kind}">{_inline(draw, width, f"{name}-{kind}", description)}</div>'
        for kind, width in (("wide", WIDE_PX), ("narrow", NARROW_PX))
    ]
    # The text in the drawing was escaped by matplotlib, the description by `_inline`.
    return Markup("".join(parts))  # noqa: S704


def figure(width_px: int, height_px: int) -> Figure:
    """A transparent figure whose unit is the CSS pixel."""
    return Figure(figsize=(width_px / 72, height_px / 72), dpi=72, facecolor="none")


def _inline(draw: Draw, width: int, salt: str, description: str) -> str:
    out = StringIO()
    # The salt keeps the names inside one drawing apart from those of every other on the page.
    # A key or an operation may hold a dollar sign without meaning mathematics.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt, "text.parse_math": False}):
        draw(width).savefig(out, format="svg", metadata=_NO_METADATA)
    return _slimmed(out.getvalue(), description)


def _slimmed(document: str, description: str) -> str:
    svg = document[document.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>|<!--.*?-->", "", svg, flags=re.DOTALL)
    size = re.search(r'viewBox="[^"]+"', svg)
    title = escape(description)
    opening = f'<svg {size[0] if size else ""} role="img" aria-label="{title}">'
    svg = re.sub(r"<svg[^>]*>", lambda _: opening, svg, count=1)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r" font-family: [^;\"]+;?", "", svg)
    svg = re.sub(r' transform="rotate\(-0 [^)]*\)"', "", svg)
    svg = re.sub(r"(\d+\.\d\d)\d+", r"\1", svg)
    svg = re.sub(r' id="(?:[A-Za-z]\w*|matplotlib\.axis)_\d+"', "", svg)
    svg = re.sub(r"\s*\n\s*", " ", svg)
    return re.sub(r"<defs>\s*</defs>|> (?=<)", lambda found: ">" if found[0] == "> " else "", svg)


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
