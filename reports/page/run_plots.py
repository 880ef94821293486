"""The plots of one run, from its measurements to drawings."""

from functools import partial

from markupsafe import Markup

from reports.derived import Derived
from reports.numbers.span import measured_seconds, stalled_seconds
from reports.numbers.traffic import KeyTraffic
from reports.page.plots.keys import KeyBars, keys_plot
from reports.page.plots.panel import ACCENT, MUTED, themed_plot
from reports.page.plots.percentiles import Curve, PercentilePanel, percentile_plot
from reports.page.plots.timeline import (
    Answers,
    DrillPicture,
    Latency,
    Strip,
    Timeline,
    drill_plot,
    timeline_plot,
)
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.rundir.scenario_facts import Drill, DrillSecond
from reports.rundir.seconds import Column, step_of
from reports.tables.operations import operation_names

MOST_KEYS = 40
MOST_OPERATIONS = 12


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
        for name in drawn_operations(derived.run.facts, measurements)
        if measurements.operations[name].response_us.total
    ]
    if not panels:
        return None
    draw = partial(percentile_plot, panels, late_ms(derived))
    return themed_plot(draw, "percentiles", "Response and service time by percentile")


def drawn_operations(facts: Facts, measurements: Measurements) -> list[str]:
    """The busiest operations, in their usual order: a plot has room for some."""
    every = operation_names(facts, measurements)
    busiest = sorted(every, key=lambda name: -measurements.operations[name].offered)
    return [name for name in every if name in busiest[:MOST_OPERATIONS]]


def late_ms(derived: Derived) -> float | None:
    """The limit that the scenario puts on answers, if it puts one."""
    limit = derived.run.facts.objectives.get("late_ms")
    return float(limit) if isinstance(limit, int | float) else None


def timeline_of(derived: Derived) -> Timeline | None:
    """The seconds of a run, ready to be drawn; None when none was measured."""
    facts, measurements, seconds = derived.run.facts, derived.run.measurements, derived.run.seconds
    if measurements is None or seconds is None:
        return None
    names = drawn_operations(facts, measurements)
    shown, measured = seconds.length, measured_seconds(facts, measurements)
    strips = [
        _strip(name, seconds.operations[name], max(shown, measured), seconds.step) for name in names
    ]
    if not measured or not any(any(strip.offered) for strip in strips):
        return None
    return Timeline(
        Latency(*zip(*seconds.latency, strict=True)),
        strips,
        int(facts.duration_seconds),
        measured,
        max(shown, measured),
        _faults(derived.run.drill),
        seconds.step,
        len(measurements.operations) - len(strips),
    )


def timeline(found: Timeline) -> Markup:
    """Latency and completions over time."""
    return themed_plot(
        partial(timeline_plot, found), "timeline", "Response times and answers over time"
    )


def drill(found: Drill) -> Markup | None:
    """What clients were answered second by second, and the backlog."""
    if not found.seconds:
        return None
    by_second = {one.second: one for one in found.seconds}
    end = max(by_second) + 1
    step = step_of(end)
    every = [by_second.get(number, DrillSecond(number)) for number in range(end)]
    points = [every[at : at + step] for at in range(0, end, step)]

    def rate(*names: str) -> list[float]:
        return [
            sum(getattr(one, name) for one in point for name in names) / len(point)
            for point in points
        ]

    def worst(name: str) -> list[float | None]:
        told = ([getattr(one, name) for one in point] for point in points)
        return [max((one for one in point if one is not None), default=None) for point in told]

    writes = Answers(
        "Writes a second",
        rate("writes_applied", "writes_settled"),
        rate("writes_durable_only"),
        rate("writes_failed"),
    )
    reads = Answers(
        "Ranked reads a second",
        rate("reads_fresh"),
        rate("reads_recovering"),
        rate("reads_failed"),
    )
    backlog, ages = worst("backlog"), worst("top_age_seconds")
    picture = DrillPicture((writes, reads), backlog, ages, _faults(found), end, step)
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


def _strip(name: str, column: Column, length: int, step: int) -> Strip:
    """One operation, as rates of its points; a stall shorter than a point is a stall."""
    counts = {
        count: [*column.counts[count], *[0] * (length - len(column.recorded))]
        for count in ("offered", "completed", "failed")
    }
    rates = {
        count: [sum(point := values[at : at + step]) / len(point) for at in range(0, length, step)]
        for count, values in counts.items()
    }
    stalled = stalled_seconds(counts["offered"], counts["completed"])
    return Strip(name, stalled=stalled, **rates)
