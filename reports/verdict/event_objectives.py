"""Objectives on a community event: fresh totals, and few reads of the hot key."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from reports.numbers.event_figures import PROJECTED, EventFigures, event_figures
from reports.verdict.judgement import Evidence, Judgement, Outcome, exact
from reports.wording import percent

_NO_EVENT = "the run had no community event"


def stale(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Polls that were told a total older than the limit, of those told one that may change."""
    limit_ms, most = exact(asked["stale_ms"]), exact(asked["stale_share"])
    wanted = f"at most {percent(most)}"
    than = f"older than {float(limit_ms):,g} ms"
    figures = _figures(evidence)
    if figures is None or not figures.age.total:
        text = _NO_EVENT if figures is None else "no poll was told a total that may change"
        yield Judgement("stale", Outcome.NOT_JUDGED, wanted, text)
        return
    polls = figures.age.total
    count = figures.age.count_above(float(limit_ms * 1000))
    share = Fraction(count, polls)
    outcome = Outcome.MET if share <= most else Outcome.MISSED
    text = f"{count:,} of {polls:,} polls were told a total {than}, {percent(share)}"
    yield Judgement("stale", outcome, wanted, text if count else f"no poll was told a total {than}")


def total_reads(asked: Mapping[str, Any], evidence: Evidence) -> Iterable[Judgement]:
    """Redis reads of the total, of those that copies fetched once per interval allow.

    Reading it for every poll is what `direct` is for, so that mode is not asked.
    """
    most = exact(asked["total_reads_of_bound"])
    wanted = f"at most {float(most):g} x workers / refresh interval"
    figures = _figures(evidence)
    if figures is None or figures.reads is None or figures.bound_per_second is None:
        text = _NO_EVENT if figures is None else "nobody could count the reads of the total"
        yield Judgement("reads of the total", Outcome.NOT_JUDGED, wanted, text)
        return
    reads = figures.reads.counts["redis"]
    if figures.told.reads_mode != PROJECTED:
        text = f"every poll reads it in this mode: {reads:,} reads"
        yield Judgement("reads of the total", Outcome.NOT_ASKED, wanted, text)
        return
    workers = figures.told.service_workers or 0
    bound, seconds = most * exact(figures.bound_per_second), figures.reads.seconds
    # Both ends of the phase may fall into an interval that a fetch has begun.
    allowed = ceil(bound * exact(seconds)) + workers
    outcome = Outcome.MET if reads <= allowed else Outcome.MISSED
    polls = sum(figures.reads.counts.values())
    each = "the worker" if workers == 1 else f"each of {workers:,} workers"
    text = (
        f"Redis was read {reads:,} times for {polls:,} polls; {allowed:,} are allowed "
        f"({seconds:,.1f} s at {float(bound):,.1f} a second, rounded up, "
        f"and one more for {each})"
    )
    yield Judgement("reads of the total", outcome, wanted, text)


def _figures(evidence: Evidence) -> EventFigures | None:
    return event_figures(evidence.facts, evidence.measurements)
