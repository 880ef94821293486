"""What a community event's polls cost, and how old the totals were that they were told."""

from dataclasses import dataclass

from reports.numbers.histogram import Histogram
from reports.numbers.span import measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.rundir.scenario_facts import CommunityEvent, community_event_of

POLLS = ("event_v1", "event_v2")
PROJECTED = "projected"
SOURCES = ("cache", "redis", "ledger")


@dataclass(frozen=True)
class Reads:
    """Polls answered between the two readings of the service's counts, by where from."""

    seconds: float
    counts: dict[str, int]

    def per_second(self, source: str) -> float:
        """The rate of one source."""
        return self.counts[source] / self.seconds


@dataclass(frozen=True)
class EventFigures:
    """The figures of a run with a community event; `reads` is None when nobody could count."""

    told: CommunityEvent
    seconds: int
    polls: dict[str, int]
    ages: dict[str, Histogram]
    reads: Reads | None
    bound_per_second: float | None

    @property
    def polls_per_second(self) -> float | None:
        """Polls answered each second of the measured phase."""
        return sum(self.polls.values()) / self.seconds if self.seconds else None

    @property
    def age(self) -> Histogram:
        """How old the totals were that all polls were told."""
        return Histogram.merged(self.ages.values())


def event_figures(facts: Facts, measurements: Measurements | None) -> EventFigures | None:
    """The figures, or None when the run had no event."""
    told = community_event_of(measurements)
    if told is None or measurements is None:
        return None
    operations = measurements.operations
    polled = {name: operations[name] for name in POLLS if name in operations}
    return EventFigures(
        told=told,
        seconds=measured_seconds(facts, measurements),
        polls={name: one.ok for name, one in polled.items()},
        ages={name: one.age_us for name, one in polled.items()},
        reads=_reads(told),
        bound_per_second=_bound(told),
    )


def _reads(told: CommunityEvent) -> Reads | None:
    start, end = told.reads.get("start"), told.reads.get("end")
    if start is None or end is None or end.at_second <= start.at_second:
        return None
    counts = {name: int(getattr(end, name) - getattr(start, name)) for name in SOURCES}
    # A service that was started again counts from zero.
    return None if min(counts.values()) < 0 else Reads(end.at_second - start.at_second, counts)


def _bound(told: CommunityEvent) -> float | None:
    """Reads of the total a second that the workers' copies allow: workers / refresh interval."""
    if told.event is None or not told.event.refresh_ms or not told.service_workers:
        return None
    return told.service_workers * 1_000 / told.event.refresh_ms
