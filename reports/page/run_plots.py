"""The plots of one run, from its measurements to drawings."""

from functools import partial

from markupsafe import Markup

from reports.derived import Derived
from reports.numbers.histogram import Histogram
from reports.numbers.span import measured_seconds
from reports.numbers.stalls import stalled_seconds
from reports.numbers.traffic import KeyTraffic
from reports.page.plots.drill import Answers, DrillPicture, drill_plot
from reports.page.plots.keys import KeyBars, keys_plot
from reports.page.plots.percentiles import Curve, PercentilePanel, percentile_plot
from reports.page.plots.svg import ACCENT, MUTED, themed_plot
from reports.page.plots.timeline import Latency, Strip, Timeline, timeline_plot
from reports.rundir.drill import Drill, DrillSecond
from reports.rundir.measurements import Measurements
from reports.tables.operations import PERCENTILES, operation_names

MOST_KEYS = 40


def percentiles(derived: Derived) -> Markup | None:
    """Response and service time of each operation by percentile."""
    measurements = derived.run.measurements
    if measurements is None:
        return None
    panels = [
        PercentilePanel(
            name,
            (
                Curve(measurements.operations[name].service_us, MUTED, dashed=True),
                Curve(measurements.operations[name].response_us, ACCENT),
            ),
        )
        for name in operation_names(derived.run.facts, measurements)
        if measurements.operations[name].response_us.total
    ]
    if not panels:
        return None
    draw = partial(percentile_plot, panels, late_ms(derived))
    return themed_plot(draw, "percentiles", "Response and service time by percentile")


def late_ms(derived: Derived) -> float | None:
    """The limit that the scenario puts on answers, if it puts one."""
    limit = derived.run.facts.objectives.get("late_ms")
    return float(limit) if isinstance(limit, int | float) else None


def timeline_of(derived: Derived) -> Timeline | None:
    """The seconds of a run, ready to be drawn; None when none was measured."""
    facts, measurements = derived.run.facts, derived.run.measurements
    if measurements is None:
        return None
    strips = [_strip(name, derived) for name in operation_names(facts, measurements)]
    shown = max((len(strip.offered) for strip in strips), default=0)
    measured = measured_seconds(facts, measurements)
    if not measured or not any(any(strip.offered) for strip in strips):
        return None
    return Timeline(
        _latency(measurements, shown),
        strips,
        int(facts.duration_seconds),
        measured,
        shown,
        _faults(derived.run.drill),
    )


def timeline(found: Timeline) -> Markup:
    """Latency and completions over time."""
    return themed_plot(
        partial(timeline_plot, found), "timeline", "Response times and answers second by second"
    )


def drill(found: Drill) -> Markup | None:
    """What clients were answered second by second, and the backlog."""
    if not found.seconds:
        return None
    by_second = {one.second: one for one in found.seconds}
    every = [by_second.get(number, DrillSecond(number)) for number in range(max(by_second) + 1)]
    writes = Answers(
        "Writes each second",
        [one.writes_applied + one.writes_settled for one in every],
        [one.writes_durable_only for one in every],
        [one.writes_failed for one in every],
    )
    reads = Answers(
        "Ranked reads each second",
        [one.reads_fresh for one in every],
        [one.reads_recovering for one in every],
        [one.reads_failed for one in every],
    )
    backlog, ages = [one.backlog for one in every], [one.top_age_seconds for one in every]
    picture = DrillPicture((writes, reads), backlog, ages, _faults(found))
    return themed_plot(
        partial(drill_plot, picture), "drill", "Answers and backlog second by second"
    )


def _faults(found: Drill | None) -> list[tuple[float, float]]:
    return [(one.from_second, one.to_second) for one in found.faults] if found else []


def keys(derived: Derived) -> Markup | None:
    """Every key's share of writes and of reads."""
    facts, traffic = derived.run.facts, derived.traffic
    panels = [
        KeyBars(title, _shares(traffic.of(op)), colour)
        for op, title, colour in (
            ("write", "Score updates: share of each key", ACCENT),
            ("read", "Reads: share of each key", MUTED),
        )
        if any(key.weight for key in traffic.of(op))
    ]
    if not panels:
        return None
    fair = 1 / facts.fair_keys if facts.fair_keys else None
    return themed_plot(partial(keys_plot, panels, fair), "keys", "Share of the load of each key")


def _shares(traffic: list[KeyTraffic]) -> list[tuple[str, float]]:
    total = sum(key.weight for key in traffic)
    hottest = sorted(traffic, key=lambda key: -key.weight)[:MOST_KEYS]
    return [(key.key, key.weight / total) for key in hottest]


def _strip(name: str, derived: Derived) -> Strip:
    rows = [row for row in derived.tables["timeline.csv"].records() if row["operation"] == name]
    last = max((int(row["second"] or 0) for row in rows), default=-1)
    columns = {column: [0] * (last + 1) for column in ("offered", "completed", "failed")}
    for row in rows:
        for column, values in columns.items():
            values[int(row["second"] or 0)] = int(row[column] or 0)
    return Strip(name, stalled=stalled_seconds(columns["offered"], columns["completed"]), **columns)


def _latency(measurements: Measurements, shown: int) -> Latency:
    by_second: dict[int, list[Histogram]] = {}
    for operation in measurements.operations.values():
        for second in operation.seconds:
            by_second.setdefault(second.second, []).append(second.response_us)
    merged = [Histogram.merged(by_second.get(second, ())) for second in range(shown)]
    return Latency(
        p50_ms=[one.percentile_ms(PERCENTILES["p50_ms"]) for one in merged],
        p99_ms=[one.percentile_ms(PERCENTILES["p99_ms"]) for one in merged],
        max_ms=[one.max_ms for one in merged],
    )
