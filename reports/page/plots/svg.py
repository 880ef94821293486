"""A matplotlib figure as SVG inside a page: themed by CSS variables, text as text, small.

Matplotlib knows no CSS variables, so plots use placeholder colours that are replaced here.
"""

import re
from collections.abc import Callable
from io import StringIO

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.figure import Figure

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
