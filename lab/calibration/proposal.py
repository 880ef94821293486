"""Proposing tiers from totals that were measured, and no more of them than the totals support.

bronze: the median, rounded down, which half of the periods reached without being asked to.
silver: the highest, rounded up, which none has passed.
gold: as far above the highest as that is above the median, rounded up.
With fewer than four periods, or periods that hardly differ, there is no spread to go by: bronze
alone is proposed, at the lowest total rounded down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

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
