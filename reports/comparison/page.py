"""comparison.html: both sides on one page, what differs first."""

from dataclasses import dataclass

from reports.comparison import plots
from reports.comparison.inputs import Inputs, compared_inputs
from reports.comparison.measures import COUNTS, RATES, SKEW, TIMES, Measure, measures_of
from reports.comparison.sides import Side, Spread, worst_status
from reports.comparison.words import DISTRUST, distrusted, findings, first_line, rounds_line, story
from reports.numbers.rounding import Cell
from reports.page import formats
from reports.page.render import render
from reports.tables.operations import ALL
from reports.verdict.verdict import Status

COMPARISON_HTML = "comparison.html"

_LABELS = {
    "offered_per_second": "offered a second",
    "achieved_per_second": "achieved a second",
    "p50_ms": "response p50, ms",
    "p90_ms": "p90, ms",
    "p95_ms": "p95, ms",
    "p99_ms": "p99, ms",
    "p999_ms": "p99.9, ms",
    "max_ms": "slowest, ms",
    "service_p50_ms": "service p50, ms",
    "service_p99_ms": "service p99, ms",
    "hottest_share": "hottest key's share",
    "effective_keys": "effective keys",
    "keys_touched": "keys touched",
}
_HEADLINES = {
    Status.PASS: "Every run passed, so the figures can be compared.",
    Status.FAIL: "Every run can be trusted, but not every run met its objectives.",
    Status.INVALID: DISTRUST,
}


@dataclass(frozen=True)
class Line:
    """One measure as the page shows it."""

    label: str
    a: str
    a_spread: str
    b: str
    b_spread: str
    ratio: str
    apart: bool | None


def comparison_page(a: Side, b: Side) -> str:
    """The page as text."""
    measures = measures_of(a, b)
    inputs = compared_inputs(a, b)
    status = worst_status((a, b))
    operations = list(dict.fromkeys(one.operation for one in measures if one.name in TIMES))
    return render(
        "comparison.html.j2",
        title=f"{a.label} against {b.label}",
        a=a,
        b=b,
        status=status.value,
        headline=_headline(status, inputs),
        first_line=first_line(inputs, a, b),
        rounds_line=rounds_line(inputs),
        distrusted=distrusted(a, b),
        findings=[] if status is Status.INVALID else findings(measures, a, b),
        story=story(a, b),
        inputs=inputs,
        groups={name: _lines(measures, name) for name in ("write", "read", *operations)},
        percentile_plot=plots.percentiles(a, b, [name for name in operations if name != ALL]),
        keys_plot=plots.keys(a, b),
        single=min(len(a.rounds), len(b.rounds)) == 1,
    )


def _headline(status: Status, inputs: Inputs) -> str:
    """Whether the runs are good, and whether a difference has one cause only."""
    if status is Status.INVALID or len(inputs.between) <= 1:
        return _HEADLINES[status]
    return (
        f"{_HEADLINES[status]} {len(inputs.between)} inputs differ, so no figure shows the effect "
        "of one alone."
    )


def _lines(measures: list[Measure], operation: str) -> list[Line]:
    return [_line(one) for one in measures if one.operation == operation and (one.a or one.b)]


def _line(measure: Measure) -> Line:
    return Line(
        label=_LABELS.get(measure.name, measure.name),
        a=_shown(measure.name, measure.a.median if measure.a else None),
        a_spread=_spread(measure.name, measure.a),
        b=_shown(measure.name, measure.b.median if measure.b else None),
        b_spread=_spread(measure.name, measure.b),
        ratio=formats.times(measure.ratio),
        apart=measure.apart,
    )


def _spread(name: str, spread: Spread | None) -> str:
    if spread is None or spread.rounds == 1:
        return ""
    ends = [_shown(name, end) for end in (spread.lowest, spread.highest)]
    return " to ".join(ends) if ends[0] != ends[1] else ""


def _shown(name: str, value: Cell) -> str:
    if name in TIMES:
        return formats.milliseconds(value)
    if name in COUNTS:
        return formats.count(value)
    if name in RATES or name in SKEW[1:]:
        return formats.rate(value)
    return formats.share(value)
