"""Proposing tiers from measured totals, and what is printed of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from lab.calibration.totals import EndedEvent

PERIODS_FOR_A_SPREAD = 4
_DIGITS_KEPT = 2


@dataclass(frozen=True)
class ProposedTier:
    """A threshold, and how many of the periods would have cleared it."""

    name: str
    threshold: int
    cleared_by: int


@dataclass(frozen=True)
class Proposal:
    """The tiers that the totals support, and why there are no more."""

    tiers: tuple[ProposedTier, ...]
    periods: int
    reservation: str | None


def propose(totals: Sequence[int]) -> Proposal:
    """Return the proposal for an event as long as the periods; there must be at least one."""
    lowest, middle, highest = min(totals), median(totals), max(totals)
    bronze = rounded_down(int(middle))
    silver = rounded_up(highest)
    gold = rounded_up(2 * highest - int(middle))
    reservation = None
    if len(totals) < PERIODS_FOR_A_SPREAD:
        reservation = (
            f"{_counted(len(totals))} no spread: silver and gold would be guesses. "
            f"At least {PERIODS_FOR_A_SPREAD} are needed."
        )
    elif not bronze < silver < gold:
        reservation = "The totals hardly differ: nothing says how far above them a goal may lie."
    if reservation is not None:
        only = max(rounded_down(lowest), 1)
        return Proposal((_tier("bronze", only, totals),), len(totals), reservation)
    named = zip(("bronze", "silver", "gold"), (bronze, silver, gold), strict=True)
    tiers = tuple(_tier(name, threshold, totals) for name, threshold in named)
    return Proposal(tiers, len(totals), None)


def rounded_down(total: int) -> int:
    """Return the total with two significant digits, not above it."""
    step: int = 10 ** max(0, len(str(total)) - _DIGITS_KEPT)
    return total // step * step


def rounded_up(total: int) -> int:
    """Return the total with two significant digits, not below it."""
    step: int = 10 ** max(0, len(str(total)) - _DIGITS_KEPT)
    return -(-total // step) * step


def _tier(name: str, threshold: int, totals: Sequence[int]) -> ProposedTier:
    return ProposedTier(name, threshold, sum(total >= threshold for total in totals))


def _counted(periods: int) -> str:
    return "One total has" if periods == 1 else f"{periods} totals have"


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
