"""What calibration prints."""

from collections.abc import Iterator, Sequence

from lab.calibration.ended_event import EndedEvent
from lab.calibration.proposal import Proposal

METHOD = (
    "Method, to two digits: bronze is the median, rounded down; silver the highest total and gold",
    "as far above that as it is above the median, both rounded up.",
    "Totals count for an event as long as a period.",
)
METHOD_OF_ONE = "Method: bronze is the lowest total, rounded down to two digits."


def past_lines(past: Sequence[int]) -> Iterator[str]:
    """Say what the past totals are."""
    yield f"Past periods: {len(past)}, from {min(past):,} to {max(past):,}."


def event_lines(event: EndedEvent) -> Iterator[str]:
    """Say what an event measured, and what became of each of its tiers, as the service says it."""
    yield (
        f"Event {event.event_id} ended with {event.total:,} (unit: {event.unit}) "
        f"in {event.races:,} races of {event.contributors:,} players."
    )
    yield "Unless players were called on to race, they do as much anyway; the service cannot know."
    if event.late:
        races = "race" if event.late == 1 else "races"
        yield f"After the end came {event.late:,} {races}, not in it."
    became = "complete"
    for name, threshold in event.tiers:
        missing = threshold - event.total
        if missing <= 0:
            found = f"complete, {-missing:,} above it"
        else:
            became = "not_reached" if became == "complete" else "locked"
            found = f"{became}, missing {missing:,} ({missing / threshold * 100:.1f} % of it)"
        yield f"  {name:<10} {threshold:>14,}  {found}"
    if not event.tiers:
        yield "  It had no tiers: it was a measurement."


def proposal_lines(proposal: Proposal) -> Iterator[str]:
    """Say where the next thresholds belong, and no more than the totals support."""
    yield f"Next thresholds, from {proposal.periods} measured:"
    for tier in proposal.tiers:
        yield (
            f"  {tier.name:<10} {tier.threshold:>14,}  {tier.cleared_by} of {proposal.periods} "
            "would have cleared it"
        )
    if proposal.reservation is None:
        yield from METHOD
    else:
        yield METHOD_OF_ONE
        yield proposal.reservation
    yield "What a call to race adds has not been measured by any of these."
