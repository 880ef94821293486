"""What the achievements' operations take and answer; the OpenAPI document is made from these."""

from operator import attrgetter
from typing import Annotated

from msgspec import Meta, Struct, defstruct

from target_service.achievements.counters import COUNTER_LIMIT
from target_service.achievements.tracks import COLUMNS
from target_service.leaderboard.rules import BATCH_EVENTS, Count, Date, Id, Place, Timestamp

SWEEP_DIGITS = 15
SweepNumber = Annotated[int, Meta(ge=1, le=10**SWEEP_DIGITS - 1)]
Counter = Annotated[int, Meta(ge=0, le=COUNTER_LIMIT)]


class EventOfAMember(Struct, frozen=True, forbid_unknown_fields=True):
    """What one event adds to a member's counters, each under the counter's own name."""

    event_id: Id


CounterEvent = defstruct(
    "CounterEvent",
    [(column, Counter, 0) for column in COLUMNS],
    bases=(EventOfAMember,),
    namespace={"__doc__": "What one event adds to a member's counters."},
    module=__name__,
    frozen=True,
    forbid_unknown_fields=True,
)
CounterEvents = Annotated[
    list[CounterEvent],  # type: ignore[valid-type]  # made from the list of tracks
    Meta(min_length=1, max_length=BATCH_EVENTS),
]
CounterBody = CounterEvent | CounterEvents
CounterValues = defstruct(
    "CounterValues",
    [(column, Counter) for column in COLUMNS],
    namespace={"__doc__": "What a member's counters are; the reconcile names all six."},
    module=__name__,
    frozen=True,
    forbid_unknown_fields=True,
)
# Reads a message's counters by their names, in the order of COLUMNS.
read_numbers = attrgetter(*COLUMNS)


class MemberBody(Struct, frozen=True, forbid_unknown_fields=True):
    """Who a member is; what is left out, the member does not have."""

    organization: Id | None = None
    tracking_code: Id | None = None


class CountAnswer(Struct, frozen=True):
    """Events that were added, and events that had been before."""

    applied: Count
    duplicate: Count


class ReconcileAnswer(Struct, frozen=True):
    """The counters as they are now."""

    member: Id
    counters: CounterValues  # type: ignore[valid-type]  # made from the list of tracks


class MemberAnswer(Struct, frozen=True):
    """The member as known now."""

    member: Id
    organization: Id | None
    tracking_code: Id | None


class NightAnswer(Struct, frozen=True):
    """When a night's reconcile was said to be complete, and when its sweep is due.

    `in_time` is false when it was said before the reconcile begins, or after the next one has: such
    a word covers no night.
    """

    night: Date
    completed_at: Timestamp
    sweep_at: Timestamp
    in_time: bool


class SweepAnswer(Struct, frozen=True):
    """A sweep, of a night or (null) by hand; what it did so far, or in all once it has ended.

    `failed` counts members whose recount failed; the service's log names some of them.
    """

    number: Place
    night: Date | None
    started_at: Timestamp
    ended_at: Timestamp | None
    scanned: Count
    changed: Count
    unchanged: Count
    unlocked: Count
    failed: Count
    seconds: float | None


class LevelAnswer(Struct, frozen=True):
    """A level of an achievement; `unlocked_at` is null until it is reached."""

    level: Place
    at: Count
    points: Count
    unlocked_at: Timestamp | None


class AchievementAnswer(Struct, frozen=True):
    """One track: the counter, its running total, and the levels."""

    achievement: str
    counter: str
    total: Count
    level: Count
    levels: list[LevelAnswer]


class AchievementsAnswer(Struct, frozen=True):
    """Where a member stands on every track."""

    member: Id
    organization: Id | None
    points: Count
    achievements: list[AchievementAnswer]
    as_of: Timestamp


class UnlockAnswer(Struct, frozen=True):
    """A level unlocked; numbers rise in the order of unlocking."""

    number: Place
    achievement: str
    level: Place
    points: Count
    unlocked_at: Timestamp


class PendingAnswer(Struct, frozen=True):
    """What the member has unlocked and not yet seen, oldest first."""

    member: Id
    pending: list[UnlockAnswer]
    as_of: Timestamp


class Colleague(Struct, frozen=True, gc=False):
    """A member of the organisation, and their place by points."""

    member: Id
    points: Count
    position: Place


class ColleaguesAnswer(Struct, frozen=True):
    """The first members of an organisation by points."""

    organization: Id
    entries: list[Colleague]
    as_of: Timestamp
