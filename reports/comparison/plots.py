"""The plots of a comparison: both sides' times by percentile, both sides' keys."""

from functools import partial

from markupsafe import Markup

from reports.comparison.sides import Side
from reports.numbers.histogram import Histogram
from reports.page.plots.keys import KeyBars, keys_plot
from reports.page.plots.panel import ACCENT, MUTED, themed_plot
from reports.page.plots.percentiles import Curve, PercentilePanel, percentile_plot
from reports.page.run_plots import MOST_KEYS


def percentiles(a: Side, b: Side, operations: list[str]) -> Markup | None:
    """Response times of all rounds together, an operation a panel."""
    panels = []
    for name in operations:
        curves = [
            Curve(_response(side, name), colour) for side, colour in ((a, MUTED), (b, ACCENT))
        ]
        if any(curve.histogram.total for curve in curves):
            panels.append(PercentilePanel(name, curves))
    if not panels:
        return None
    draw = partial(percentile_plot, panels, None)
    return themed_plot(draw, "percentiles", "Response times of both sides by percentile")


def keys(a: Side, b: Side) -> Markup | None:
    """Each key's share of the members written, all rounds together."""
    panels = [
        KeyBars(f"{side.label}: score updates by key", shares, colour)
        for side, colour in ((a, MUTED), (b, ACCENT))
        if (shares := _shares(side))
    ]
    if not panels:
        return None
    fair = next((1 / one.run.facts.fair_keys for one in a.rounds if one.run.facts.fair_keys), None)
    return themed_plot(partial(keys_plot, panels, fair), "keys", "Share of the writes by key")


def _response(side: Side, operation: str) -> Histogram:
    return Histogram.merged(
        one.run.measurements.operations[operation].response_us
        for one in side.rounds
        if one.run.measurements and operation in one.run.measurements.operations
    )


def _shares(side: Side) -> list[tuple[str, float]]:
    written: dict[str, int] = {}
    for one in side.rounds:
        for key in one.traffic.of("write"):
            written[key.key] = written.get(key.key, 0) + key.weight
    total = sum(written.values())
    hottest = sorted(written.items(), key=lambda pair: -pair[1])[:MOST_KEYS]
    return [(key, weight / total) for key, weight in hottest] if total else []
