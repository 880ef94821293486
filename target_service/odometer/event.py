"""An event as configured, as it stands, and as it ended."""

from enum import StrEnum

from msgspec import Struct

from target_service.odometer.aggregate import Aggregate
from target_service.odometer.tiers import Tier


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
