"""What the odometer's one writer is asked to store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from target_service.odometer.decisions import Delivery, Outcome

Way = Literal["http", "stream"]


@dataclass(frozen=True, slots=True)
class Deliver:
    """Deliveries in the order they came; answered with one outcome each."""

    deliveries: Sequence[Delivery]
    way: Way


@dataclass(frozen=True, slots=True)
class Join:
    """A player who wants to join an event."""

    event: int
    player: str


@dataclass(frozen=True, slots=True)
class Reject:
    """What came over the stream and is no race: kept to be looked at, the oldest forgotten."""

    reason: str
    payload: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """One outcome per delivery."""

    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class Joined:
    """When the player joined, if not too late; `is_new` tells whether it was just now."""

    at_ms: int | None
    is_new: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """The rejected payload is stored."""


Order: TypeAlias = Deliver | Join | Reject
Done: TypeAlias = Delivered | Joined | Kept
