"""What a run was, told in sentences: the same in the terminal and on the page."""

from collections.abc import Iterator, Mapping

from reports.derived import Derived
from reports.numbers.event_figures import PROJECTED, EventFigures
from reports.numbers.histogram import PERCENTILES
from reports.numbers.sweep_figures import DURING, SweepFigures
from reports.numbers.traffic import Traffic
from reports.rundir.measurements import Operation
from reports.rundir.scenario_facts import Drill, Event, Events, Tier
from reports.wording import percent

# A larger difference has another cause: events that were sent again, or a fault.
_FEW = 0.01


def edges_sentence(derived: Derived) -> str | None:
    """Why counts differ a little, or a share passes 100 %; None when neither is so."""
    measurements = derived.run.measurements
    if measurements is None:
        return None
    return "; ".join(_edges(measurements.operations, derived.traffic)) or None


def _edges(operations: dict[str, Operation], traffic: Traffic) -> Iterator[str]:
    submits = operations.get("submit")
    counted = sum(key.weight for key in traffic.of("write"))
    if submits and submits.ok == submits.offered and _differs_a_little(counted, submits.ok):
        yield (
            "the service's counters are read at the phase's edges, so a few writes of the warm-up "
            "or the drain fall on either side"
        )
    if any(one.achieved > one.offered for one in operations.values()):
        yield (
            "an answer to a request of the warm-up that arrives in the measured phase counts as "
            f"achieved, so a share may pass {percent(1)}"
        )


def _differs_a_little(counted: int, sent: int) -> bool:
    return 0 < abs(counted - sent) <= max(_FEW * sent, 1)


def drill_sentences(drill: Drill) -> list[str]:
    """What was done, what came of the events, and what the clients saw meanwhile."""
    return [*_faults(drill), events_sentence(drill), *drill.findings, *_clients(drill)]


def events_sentence(drill: Drill) -> str:
    """The four counts of which all but the first must be 0, and the recovery time."""
    events = drill.events
    if events is None:
        counts = "events: not compared"
    else:
        counts = (
            f"events accepted {events.accepted:,}{_parts(events)}, lost {events.lost:,}, "
            f"applied twice {events.applied_twice:,}, gone backwards {events.gone_backwards:,}"
        )
    recovery = drill.recovery_seconds
    return f"{counts}; recovery time {_seconds(recovery, 'not known')}"


def _parts(events: Events) -> str:
    """When they were accepted, for the table beside tells of the measured phase alone."""
    parts = {
        "loaded": events.accepted_loaded,
        "in the warm-up": events.accepted_warmup,
        "measured": events.accepted_measured,
    }
    told = ", ".join(f"{count:,} {part}" for part, count in parts.items() if count is not None)
    return f" ({told})" if told else ""


def _faults(drill: Drill) -> Iterator[str]:
    times: dict[str, list[str]] = {}
    for fault in drill.faults:
        span = f"{fault.from_second:.1f} to {fault.to_second:.1f}"
        times.setdefault(fault.what, []).append(span)
    for what, spans in times.items():
        yield f"{what}: second {', '.join(spans)}"
    if not drill.faults:
        yield "the fault never struck"


def _clients(drill: Drill) -> Iterator[str]:
    stale, gone = drill.reads_recovering_seconds, drill.reads_unavailable_seconds
    if drill.reads:
        yield (
            f"ranked reads were marked as recovering during {_seconds(stale)}, "
            f"and were unavailable during {_seconds(gone)}"
        )
    yield f"writes, warm-up to drain: {_counts(drill.writes)}"
    yield f"ranked reads, warm-up to drain: {_counts(drill.reads)}"
    if drill.longest_wait_ms is not None:
        yield f"longest wait for an answer, from the send: {drill.longest_wait_ms:,.0f} ms"


def _counts(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in outcomes.items()) or "none"


def _seconds(seconds: float | None, unknown: str = "an unknown time") -> str:
    return unknown if seconds is None else f"{seconds:.1f} s"


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


def sweep_sentences(figures: SweepFigures, *, trusted: bool) -> list[str]:
    """What it found, how fast, and what counting was like meanwhile.

    Of a measurement that cannot be trusted no ratio is told: it would be read as a finding.
    """
    return [*_sweep(figures), *_counting(figures), *(_ratio(figures) if trusted else ())]


def _sweep(figures: SweepFigures) -> Iterator[str]:
    sweep = figures.sweep
    counts = (
        f"scanned {sweep.scanned:,} of {figures.facts.members:,} members, changed "
        f"{sweep.changed:,}, unchanged {sweep.unchanged:,}, unlocked {sweep.unlocked:,}"
    )
    speed = figures.members_per_second
    if speed is not None:
        yield f"{counts}, in {sweep.seconds:.3f} s: {speed:,.0f} members a second"
    else:
        yield f"{counts}; it had not ended when the run did"
    if sweep.failed:
        yield f"the recount failed for {sweep.failed:,} members; service.log names them"
    if sweep.trouble:
        yield f"what became of it is not known: {sweep.trouble}"


def _counting(figures: SweepFigures) -> Iterator[str]:
    parts = []
    for span in figures.spans:
        if span.seconds:
            seconds = f"second {span.seconds.start} to {span.seconds.stop}"
            if span.phase == DURING:
                seconds += ", the whole seconds in which the sweep ran"
            p99 = "too few answers" if span.p99_ms is None else f"{span.p99_ms:,.1f} ms"
            parts.append(f"{span.phase} {p99} ({seconds})")
    if parts:
        yield f"p99 of count: {', '.join(parts)}"


def _ratio(figures: SweepFigures) -> Iterator[str]:
    ratio = figures.p99_ratio
    if ratio is not None:
        yield f"during the sweep the p99 of count was {ratio:.1f} times what it was before"
