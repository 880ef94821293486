"""Which tiers a total clears: a threshold is cleared by a total that equals or exceeds it."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

TierStatus = Literal["complete", "not_reached", "locked"]


class Tier(Struct, frozen=True):
    """A named threshold, in the aggregate's unit."""

    name: str
    threshold: int


class TierState(Struct, frozen=True):
    """A tier beside a total; `missing` is what the total lacks."""

    name: str
    threshold: int
    status: TierStatus
    missing: int


def reached(total: int, tiers: Sequence[Tier]) -> str | None:
    """Return the name of the highest tier the total clears."""
    cleared = [tier.name for tier in tiers if tier.threshold <= total]
    return cleared[-1] if cleared else None


def states(total: int, tiers: Sequence[Tier]) -> list[TierState]:
    """Return every tier's state: the first one missed is not reached, those beyond are locked."""
    found: list[TierState] = []
    for tier in tiers:
        missing = max(0, tier.threshold - total)
        status: TierStatus = "complete"
        if missing:
            is_next = not found or found[-1].status == "complete"
            status = "not_reached" if is_next else "locked"
        found.append(TierState(tier.name, tier.threshold, status, missing))
    return found
