"""Times by percentile: the HdrHistogram shape, on an axis that stretches the slow end."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.numbers.histogram import Histogram
from reports.page.plots.panel import LETTER_PX, WARN, Place, figure, fitting, log_ms_axis, panel

_STEPS_PER_DECADE = 24
_WHOLE = 10**9
_NINES = ((0, "0"), (1, "90 %"), (2, "99 %"), (3, "99.9 %"), (4, "99.99 %"), (5, "99.999 %"))
_LEFT, _TOP, _BOTTOM, _GAP = 48, 30, 26, 22
_LEAST_CELL = 180


@dataclass(frozen=True)
class Curve:
    """One distribution and how its line looks."""

    histogram: Histogram
    colour: str
    dashed: bool = False

    @cached_property
    def points(self) -> list[tuple[float, float]]:
        """The line, which is the same in every width."""
        return curve_points(self.histogram)


@dataclass(frozen=True)
class PercentilePanel:
    """The curves of one operation."""

    title: str
    curves: Sequence[Curve]


def percentile_plot(
    panels: Sequence[PercentilePanel], limit_ms: float | None, width: int
) -> Figure:
    """Panels side by side with one scale where there is room, else below each other."""
    columns = max(1, min(len(panels), (width - _LEFT + _GAP) // (_LEAST_CELL + _GAP)))
    rows = -(-len(panels) // columns)
    cell = (width - _LEFT - (columns - 1) * _GAP) / columns
    height = 200 if columns > 1 else 150
    drawing = figure(width, rows * (height + _TOP + _BOTTOM))
    shown = [point for one in panels for curve in one.curves for point in curve.points]
    for number, one in enumerate(panels):
        row, column = divmod(number, columns)
        place = Place(
            _LEFT + column * (cell + _GAP),
            _TOP + row * (height + _TOP + _BOTTOM),
            cell,
            height,
        )
        axes = panel(drawing, place, fitting(one.title, cell))
        _axes(axes, shown, limit_ms, place, labelled=column == 0)
        for curve in one.curves:
            axes.plot(
                [x for x, _ in curve.points],
                [y for _, y in curve.points],
                color=curve.colour,
                linewidth=1.5 if curve.dashed else 2,
                linestyle=(0, (3, 2)) if curve.dashed else "solid",
            )
    return drawing


def curve_points(histogram: Histogram) -> list[tuple[float, float]]:
    """(log10 of 1 / (1 - p), ms) as far as the samples reach, ending at the maximum."""
    total = histogram.total
    if total == 0:
        return []
    reach = log10(total)
    steps = int(reach * _STEPS_PER_DECADE)
    exponents = [step / _STEPS_PER_DECADE for step in range(1, steps + 1)]
    points = []
    for exponent in exponents:
        fraction = Fraction(_WHOLE - round(_WHOLE / 10**exponent), _WHOLE)
        value = histogram.percentile_ms(fraction)
        if value is not None:
            points.append((exponent, value))
    highest = histogram.max_ms
    return [*points, (reach, highest)] if highest is not None else points


def _axes(
    axes: Axes,
    shown: Sequence[tuple[float, float]],
    limit_ms: float | None,
    place: Place,
    *,
    labelled: bool,
) -> None:
    reach = max(1.0, *(x for x, _ in shown))
    lowest, highest = min(y for _, y in shown), max(y for _, y in shown)
    axes.set_xlim(0, reach)
    nines = _with_room([one for one in _NINES if one[0] <= reach], place.width / reach, place.width)
    axes.set_xticks([x for x, _ in nines], [label for _, label in nines])
    log_ms_axis(axes, lowest, highest, place.height)
    if not labelled:
        axes.set_yticklabels([])
    if limit_ms is not None and lowest < limit_ms < highest:
        axes.axhline(limit_ms, color=WARN, linewidth=1, linestyle=(0, (1, 2)))


def _with_room(
    labels: Sequence[tuple[int, str]], unit_px: float, width: float
) -> list[tuple[int, str]]:
    """The labels that touch neither one another nor the first of the next plot."""
    kept: list[tuple[int, str]] = []
    free = -_GAP / 2
    for x, label in labels:
        half = len(label) * LETTER_PX / 2
        if x * unit_px - half >= free and x * unit_px + half <= width + _GAP / 2:
            kept.append((x, label))
            free = x * unit_px + half + LETTER_PX
    return kept
