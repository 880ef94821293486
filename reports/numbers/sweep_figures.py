"""How counting fared before, during and after a sweep, and how fast the sweep was."""

from dataclasses import dataclass

from reports.numbers.histogram import PERCENTILES, Histogram
from reports.numbers.rounding import ratio
from reports.numbers.span import measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.rundir.scenario_facts import MemberFacts, Sweep, member_facts
from reports.rundir.seconds import Seconds

COUNT = "count"
DURING = "during"


@dataclass(frozen=True)
class CountingSpan:
    """Whole seconds of the measured phase, and the good answers to what was due in them."""

    phase: str
    seconds: range
    ok: int
    response_us: Histogram

    @property
    def p99_ms(self) -> float | None:
        """The 99th percentile of their response times; None with too few of them."""
        return self.response_us.percentile_ms(PERCENTILES["p99_ms"])


@dataclass(frozen=True)
class SweepFigures:
    """The sweep, and the spans around it."""

    facts: MemberFacts
    sweep: Sweep
    spans: tuple[CountingSpan, ...]

    @property
    def members_per_second(self) -> float | None:
        """How fast members were looked at; None for a sweep that did not end."""
        return ratio(self.sweep.scanned, self.sweep.seconds) if self.sweep.seconds else None

    @property
    def p99_ratio(self) -> float | None:
        """The p99 during the sweep by that before it; None when either is not known."""
        before, during, _ = (span.p99_ms for span in self.spans)
        return during / before if during is not None and before else None


def sweep_figures(
    facts: Facts, measurements: Measurements | None, seconds: Seconds | None
) -> SweepFigures | None:
    """Take the figures of a run; None for one in which no sweep began."""
    members = member_facts(measurements)
    if measurements is None or seconds is None or members is None or members.sweep is None:
        return None
    counting = seconds.operations.get(COUNT)
    if counting is None:
        return None
    sweep, end = members.sweep, measured_seconds(facts, measurements)
    first, after = int(sweep.from_second), int(sweep.to_second) + 1
    phases = {
        "before": range(min(first, end)),
        DURING: range(min(first, end), min(after, end)),
        "after": range(min(after, end), end),
    }
    spans = (
        CountingSpan(
            phase,
            inside,
            sum(counting.counts["ok"][inside.start : inside.stop]),
            seconds.merged(COUNT, inside),
        )
        for phase, inside in phases.items()
    )
    return SweepFigures(members, sweep, tuple(spans))
