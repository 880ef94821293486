"""A community event: what it adds up, its window and tiers, as it stands and as it ended."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Literal

from msgspec import Struct


class Kind(StrEnum):
    """How amounts become one number."""

    SUM = "sum"
    COUNT = "count"
    MAX = "max"

    def amount(self, carried: int) -> int:
        """Return what a race with this amount in the field is worth."""
        return 1 if self is Kind.COUNT else carried

    def fold(self, amounts: Iterable[int]) -> int:
        """Return what the amounts make together, 0 when there are none."""
        return max(amounts, default=0) if self is Kind.MAX else sum(amounts)


class Aggregate(Struct, frozen=True):
    """The field of a race that counts, how, and the unit of its whole numbers."""

    field: str
    kind: Kind
    unit: str


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


class State(StrEnum):
    """Where an event is in its life; each state follows the one before it."""

    SCHEDULED = "scheduled"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


class Configuration(Struct, frozen=True):
    """What an event adds up, from when to before when, and what the total unlocks."""

    aggregate: Aggregate
    opens_at_ms: int
    closes_at_ms: int
    grace_seconds: int
    tiers: tuple[Tier, ...]
    refresh_ms: int

    def holds(self, finished_at_ms: int) -> bool:
        """Tell whether a race that finished then counts: the window is half-open."""
        return self.opens_at_ms <= finished_at_ms < self.closes_at_ms


class Final(Struct, frozen=True):
    """The end of an event: read once, at a change number of the lake, and never again."""

    total: int
    races: int
    tier: str | None
    contributors: int
    joined: int
    eligible: int
    change: int
    closed_at_ms: int


class Event(Struct, frozen=True):
    """An event as the ledger has it; `change` is the lake's last one that counted for it.

    `late` races came after the end was read: they are worth `late_amount` to their players, and
    made `late_eligible` players eligible who had joined and not raced before.
    """

    number: int
    id: str
    configuration: Configuration
    state: State
    total: int
    races: int
    late: int
    change: int
    final: Final | None
    late_amount: int = 0
    late_eligible: int = 0
