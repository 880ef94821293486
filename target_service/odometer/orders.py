"""What the odometer's one writer is asked to store."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

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


class Refused(NamedTuple):
    """What came over the stream and is no race: why, and its whole text."""

    reason: str
    text: str


class Early(NamedTuple):
    """A race that came over the stream before its event was made, as it came."""

    event_id: str
    text: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """What is refused is kept to be looked at, the oldest forgotten; what is early waits."""

    refused: Sequence[Refused]
    early: Sequence[Early]


@dataclass(frozen=True, slots=True)
class TakeWaiting:
    """Races whose event has been made, and those that have waited long enough."""


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
    """What was set aside is stored."""


@dataclass(frozen=True, slots=True)
class WaitingTaken:
    """What became of the races that waited, and how many of them were refused."""

    outcomes: Sequence[Outcome]
    refused: int


Order: TypeAlias = Deliver | Join | SetAside | TakeWaiting
Done: TypeAlias = Delivered | Joined | Kept | WaitingTaken
