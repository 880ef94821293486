"""What the achievements' routes take and answer."""

import re
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BeforeValidator, Field, StrictInt, WithJsonSchema, create_model

from target_service.achievements.tracks import COLUMNS, COUNTER_LIMIT
from target_service.http.answers import Count, Date, Document, Place, Timestamp
from target_service.http.fields import BATCH_EVENTS, Body, Id, Rule, query_integer, whole_number

SWEEP_DIGITS = 15
SweepNumber = Annotated[
    int,
    *query_integer(1, 10**SWEEP_DIGITS - 1)[:2],
    Rule(f"must be the number of a sweep, an integer of at most {SWEEP_DIGITS} digits, from 1 on"),
]
# As many unlocks as the file can number in ten digits.
UnlockNumber = Annotated[int, *query_integer(0, 9_999_999_999)]
Counter = Annotated[StrictInt, Field(ge=0, le=COUNTER_LIMIT), whole_number(0, COUNTER_LIMIT)]
_FIRST_NIGHT, _LAST_NIGHT = date(2000, 1, 1), date(9000, 1, 1)
_is_plain_date = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII).fullmatch


def _night(value: object) -> date:
    # Python reads other forms of ISO 8601 too; a night has one name.
    if not isinstance(value, str) or not _is_plain_date(value):
        raise ValueError(value)
    night = date.fromisoformat(value)
    if not _FIRST_NIGHT <= night <= _LAST_NIGHT:
        raise ValueError(value)
    return night


Night = Annotated[
    date,
    BeforeValidator(_night),
    Rule("must be the date of the night's sweep, such as 2026-09-06, from the year 2000 on"),
    WithJsonSchema({"type": "string", "format": "date"}),
]


class EventOfAMember(Body):
    """What one event adds to a member's counters, each under the counter's own name."""

    event_id: Id


if TYPE_CHECKING:
    CounterEvent = EventOfAMember
    CounterValues = Body
else:
    CounterEvent = create_model(
        "CounterEvent",
        __base__=EventOfAMember,
        __doc__="What one event adds to a member's counters.",
        **dict.fromkeys(COLUMNS, (Counter, 0)),
    )
    CounterValues = create_model(
        "CounterValues",
        __base__=Body,
        __doc__="What a member's counters are; the reconcile names all six.",
        **dict.fromkeys(COLUMNS, (Counter, ...)),
    )
CounterBody: TypeAlias = (
    CounterEvent | Annotated[list[CounterEvent], Field(min_length=1, max_length=BATCH_EVENTS)]
)
# Reads a message's counters by their names, in the order of COLUMNS.
read_numbers = attrgetter(*COLUMNS)


class MemberBody(Body):
    """Who a member is; what is left out, the member does not have."""

    organization: Id | None = None
    tracking_code: Id | None = None


class CountAnswer(Document, frozen=True):
    """Events that were added, and events that had been before."""

    applied: Count
    duplicate: Count


class ReconcileAnswer(Document, frozen=True):
    """The counters as they are now."""

    member: str
    counters: dict[str, Count]


class MemberAnswer(Document, frozen=True):
    """The member as known now."""

    member: str
    organization: str | None
    tracking_code: str | None


class NightAnswer(Document, frozen=True):
    """When a night's reconcile was said to be complete, and when its sweep is due.

    `in_time` is false when it was said before the reconcile begins, or after the next one has: such
    a word covers no night.
    """

    night: Date
    completed_at: Timestamp
    sweep_at: Timestamp
    in_time: bool


class SweepAnswer(Document, frozen=True):
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


class LevelAnswer(Document, frozen=True):
    """A level of an achievement; `unlocked_at` is null until it is reached."""

    level: Place
    at: Count
    points: Count
    unlocked_at: Timestamp | None


class AchievementAnswer(Document, frozen=True):
    """One track: the counter, its running total, and the levels."""

    achievement: str
    counter: str
    total: Count
    level: Count
    levels: list[LevelAnswer]


class AchievementsAnswer(Document, frozen=True):
    """Where a member stands on every track."""

    member: str
    organization: str | None
    points: Count
    achievements: list[AchievementAnswer]
    as_of: Timestamp


class UnlockAnswer(Document, frozen=True):
    """A level unlocked; numbers rise in the order of unlocking."""

    number: Place
    achievement: str
    level: Place
    points: Count
    unlocked_at: Timestamp


class PendingAnswer(Document, frozen=True):
    """What the member has unlocked and not yet seen, oldest first."""

    member: str
    pending: list[UnlockAnswer]
    as_of: Timestamp


class Colleague(Document, frozen=True, gc=False):
    """A member of the organisation, and their place by points."""

    member: str
    points: Count
    position: Place


class ColleaguesAnswer(Document, frozen=True):
    """The first members of an organisation by points."""

    organization: str
    entries: list[Colleague]
    as_of: Timestamp
