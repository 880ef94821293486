"""Who a member is, what is noted of one, and what the counters refuse."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from target_service.achievements import boards
from target_service.achievements.tracks import COLUMNS, Impossible, Numbers, impossibilities


class Refusal(Exception):
    """A write that is refused for what it says, and not for the state of the disk."""


class EventReused(Refusal):
    """An event id belongs to other adds."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"Event {event_id} was sent before with other contents.")


class CannotBe(Refusal):
    """The counters would be impossible."""

    def __init__(self, problems: Sequence[Impossible]) -> None:
        super().__init__("; ".join(f"{column} {reason}" for column, reason in problems))
        self.problems = problems


# Nights are forgotten by their distance from the present: as many words as somebody may say for
# nights to come push out no night that is still to be decided.
_NIGHTS_KEPT = timedelta(days=400)
_SET_COUNTERS = (
    f"INSERT INTO member_counters (member, {', '.join(COLUMNS)})"  # noqa: S608  (own names)
    f" VALUES ({', '.join('?' * (1 + len(COLUMNS)))})"
    " ON CONFLICT (member) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS)
    + " WHERE "
    + " OR ".join(f"{column} <> excluded.{column}" for column in COLUMNS)
)
_SET_MEMBER = (
    "INSERT INTO member_counters (member, tracking_code, organization) VALUES (?, ?, ?)"
    " ON CONFLICT (member) DO UPDATE SET"
    " tracking_code = excluded.tracking_code, organization = excluded.organization"
    " WHERE tracking_code IS NOT excluded.tracking_code"
    " OR organization IS NOT excluded.organization"
)
_SET_NIGHT = (
    "INSERT INTO achievement_nights (night, reconciled_ms) VALUES (?, ?)"
    " ON CONFLICT (night) DO UPDATE SET"
    # The latest counts, by a clock that may have been set back since.
    " reconciled_ms = max(coalesce(reconciled_ms, 0), excluded.reconciled_ms)"
    " RETURNING reconciled_ms"
)
_FORGET_NIGHTS = "DELETE FROM achievement_nights WHERE night < ? OR night > ?"


def enrol(
    connection: sqlite3.Connection,
    _at_ms: int,
    member: str,
    tracking_code: str | None,
    organization: str | None,
) -> None:
    """Store who the member is, and stand them on their organisation's board."""
    connection.execute(_SET_MEMBER, (member, tracking_code, organization))
    boards.move(connection, member, organization)


def reconcile(connection: sqlite3.Connection, _at_ms: int, member: str, numbers: Numbers) -> None:
    """Set a member's counters, downwards too; raises CannotBe when they cannot be so."""
    problems = list(impossibilities(numbers))
    if problems:
        raise CannotBe(problems)
    connection.execute(_SET_COUNTERS, (member, *numbers))


def complete_night(connection: sqlite3.Connection, at_ms: int, night: str) -> int:
    """Note that a night's reconcile is complete, and return when that was last said."""
    (said_ms,) = connection.execute(_SET_NIGHT, (night, at_ms)).fetchone()
    today = datetime.fromtimestamp(at_ms / 1_000, UTC).date()
    kept = (today - _NIGHTS_KEPT, today + _NIGHTS_KEPT)
    connection.execute(_FORGET_NIGHTS, [one.isoformat() for one in kept])
    return int(said_ms)


_SEE = (
    "UPDATE achievement_standings SET seen = ?2 WHERE member = ?1 AND seen < ?2"
    " AND ?2 <= (SELECT coalesce(max(number), 0) FROM achievement_unlocks WHERE member = ?1)"
)


def see(connection: sqlite3.Connection, _at_ms: int, member: str, number: int) -> None:
    """Move the mark forward, never back and never beyond what the member has unlocked."""
    connection.execute(_SEE, (member, number))
