"""A community event told in sentences, the same in the terminal and on the page."""

from collections.abc import Iterator

from reports.numbers.event_figures import EventFigures
from reports.rundir.community_event import Event
from reports.tables.operations import PERCENTILES

_STATUS = {"complete": "complete", "not_reached": "not reached", "locked": "locked"}


def event_sentences(figures: EventFigures) -> list[str]:
    """How the event ended, what its polls cost, and how old their totals were."""
    event = figures.told.event
    ending = ["the event could not be read when the run had ended"]
    return [*(_ending(event) if event else ending), *_reads(figures), *_ages(figures)]


def _ending(event: Event) -> Iterator[str]:
    final = event.final
    if final is None:
        yield f"the event was still {event.state} when the run had ended"
        return
    tiers = ", ".join(
        f"{tier.name} {tier.threshold:,} {_STATUS.get(tier.status, tier.status)}"
        for tier in event.tiers
    )
    yield (
        f"it ended with {final.total:,} {event.aggregate.unit} in {final.races:,} races of "
        f"{final.contributors:,} players{f': {tiers}' if tiers else ''}"
    )
    yield (
        f"{final.eligible:,} of {final.joined:,} joined players raced and earn the tier; "
        f"races that came after the end and are not in it: {event.late:,}"
    )


def _reads(figures: EventFigures) -> Iterator[str]:
    polls = figures.polls_per_second
    if polls is None or figures.reads is None:
        yield "nobody could count how often the total's key was read"
        return
    redis = figures.reads.per_second("redis")
    mode = figures.told.reads_mode or "unknown"
    bound = figures.bound_per_second
    allowed = f", of {bound:,.1f} that its copies allow" if bound and mode == "projected" else ""
    yield (
        f"ODOMETER_READS={mode}: {redis:,.1f} Redis reads of the total's key a second for "
        f"{polls:,.1f} polls a second{allowed}"
    )


def _ages(figures: EventFigures) -> Iterator[str]:
    age = figures.age
    shown = {
        "p50": age.percentile_ms(PERCENTILES["p50_ms"]),
        "p99": age.percentile_ms(PERCENTILES["p99_ms"]),
        "oldest": age.max_ms,
    }
    told = ", ".join(f"{name} {ms:,.0f} ms" for name, ms in shown.items() if ms is not None)
    yield f"age of the totals that polls were told: {told or 'not known'}"
