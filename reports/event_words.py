"""A community event told in sentences, the same in the terminal and on the page."""

from collections.abc import Iterator

from reports.numbers.event_figures import PROJECTED, EventFigures
from reports.rundir.community_event import Event, Tier
from reports.tables.operations import PERCENTILES


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
    unit = event.aggregate.unit
    yield (
        f"it ended with {final.total:,} {unit} in {final.races:,} races of "
        f"{final.contributors:,} players"
    )
    if event.tiers:
        yield f"tiers ({unit}): {'; '.join(map(_tier, event.tiers))}"
    yield (
        f"{final.eligible + event.late_eligible:,} of {final.joined:,} joined players raced and "
        f"earn the tier; races that came after the end: {event.late:,}, "
        f"{event.late_amount:,} {unit} that are their players' and not in the total"
    )


def _tier(tier: Tier) -> str:
    """Where it lay and what became of it, in the service's own word."""
    missing = f", missing {tier.missing:,}" if tier.missing else ""
    return f"{tier.name} at {tier.threshold:,} {tier.status}{missing}"


def _reads(figures: EventFigures) -> Iterator[str]:
    polls = figures.polls_per_second
    if polls is None or figures.reads is None:
        yield "nobody could count how often the total's key was read"
        return
    redis = figures.reads.per_second("redis")
    mode = figures.told.reads_mode or "unknown"
    yield (
        f"ODOMETER_READS={mode}: {redis:,.1f} reads of the total's key in Redis a second for "
        f"{polls:,.1f} polls a second{_bound(figures) if mode == PROJECTED else ''}"
    )


def _bound(figures: EventFigures) -> str:
    """How often the workers' copies may be fetched anew, and by which rule."""
    bound, event = figures.bound_per_second, figures.told.event
    if bound is None or event is None:
        return ""
    workers = figures.told.service_workers
    who = "1 worker" if workers == 1 else f"{workers} workers"
    return f"; {who} at {event.refresh_ms:,} ms may read {bound:,.1f} a second"


def _ages(figures: EventFigures) -> Iterator[str]:
    age = figures.age
    shown = {
        "p50": age.percentile_ms(PERCENTILES["p50_ms"]),
        "p99": age.percentile_ms(PERCENTILES["p99_ms"]),
        "oldest": age.max_ms,
    }
    told = ", ".join(f"{name} {ms:,.0f} ms" for name, ms in shown.items() if ms is not None)
    yield f"age of the totals that polls were told until the end: {told or 'not known'}"
