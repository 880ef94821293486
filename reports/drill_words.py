"""A drill told in sentences, the same in the terminal and on the page."""

from collections.abc import Iterator, Mapping

from reports.rundir.drill import Drill, Events


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
