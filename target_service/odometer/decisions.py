"""What becomes of a delivery: decided in one place, by the race's own completion time."""

from collections.abc import MutableMapping
from enum import StrEnum
from typing import NamedTuple

from target_service.odometer.event import Configuration


class Outcome(StrEnum):
    """What became of a delivery; all but `counted` leave the total alone.

    `late` is `counted` after the end: for the player, no more for the event.
    """

    COUNTED = "counted"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    OUTSIDE = "outside"
    LATE = "late"


class Content(NamedTuple):
    """What makes two deliveries of one race the same."""

    player: str
    finished_at_ms: int
    amounts: str


class Delivery(NamedTuple):
    """One delivery of a race to an event; `amount` is what it is worth there."""

    event: int
    race: str
    content: Content
    amount: int


Claims = MutableMapping[tuple[int, str], Content]


def decide(
    delivery: Delivery, configuration: Configuration, is_closed: bool, claims: Claims
) -> Outcome:
    """Decide one delivery; the first one inside the window claims the race for good.

    A claim is looked at before the window, so that a claimed race sent again with another time
    is told as the conflict it is. A race outside claims nothing.
    """
    known = claims.get((delivery.event, delivery.race))
    if known is not None:
        return Outcome.DUPLICATE if known == delivery.content else Outcome.CONFLICT
    if not configuration.holds(delivery.content.finished_at_ms):
        return Outcome.OUTSIDE
    claims[delivery.event, delivery.race] = delivery.content
    return Outcome.LATE if is_closed else Outcome.COUNTED
