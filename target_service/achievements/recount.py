"""Recounting members: one query reads their six numbers at one instant, all tracks follow."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
from msgspec import Struct

from target_service.achievements import boards
from target_service.achievements.tracks import (
    COLUMNS,
    EDITION,
    TRACKS,
    Progress,
    Standing,
    points,
    settle,
)
from target_service.ledger.bulk import BulkInsert, Value, json_list

_TOTALS = ", ".join(f"coalesce(s.{track.total_column}, 0)" for track in TRACKS)
_LEVELS = ", ".join(f"coalesce(s.{track.level_column}, 0)" for track in TRACKS)
# A row's totals and levels, in the order of TRACKS; `s` is a standing, or none.
PROGRESS = f"json_array({_TOTALS}), json_array({_LEVELS})"
_PROGRESS = [name for track in TRACKS for name in (track.total_column, track.level_column)]
_SET = ["board", "version", "points", "edition", *_PROGRESS]
# True for a member whose counters a recount has not seen as they are.
MOVED = " OR ".join(
    [
        *(f"c.{track.column} <> coalesce(s.{track.total_column}, 0)" for track in TRACKS),
        f"coalesce(s.edition, 0) NOT IN (0, {EDITION})",
    ]
)
_RECOUNT_READ = (
    "SELECT json_group_array(json_array(j.key, c.organization, coalesce(s.version, 0),"  # noqa: S608  (own names)
    " coalesce(s.points, 0), coalesce(s.edition, 0),"
    f" json_array({', '.join(f'c.{column}' for column in COLUMNS)}), {PROGRESS}))"
    " FROM json_each(?) j CROSS JOIN member_counters c ON c.member = j.value"
    " LEFT JOIN achievement_standings s ON s.member = c.member"
)
_STANDINGS = BulkInsert(
    f"INSERT INTO achievement_standings (member, {', '.join(_SET)})",
    1 + len(_SET),
    "ON CONFLICT (member) DO UPDATE SET " + ", ".join(f"{one} = excluded.{one}" for one in _SET),
)
_UNLOCK_COLUMNS = 5
_UNLOCKS = BulkInsert(
    "INSERT INTO achievement_unlocks (member, achievement, level, points, at_ms)", _UNLOCK_COLUMNS
)
# A change of a board must fit into a page of it, see boards.PAGE_ROWS.
MEMBERS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Recount:
    """Recount one member."""

    member: str


class Recounted(NamedTuple):
    """How many of the members had moved, and how many levels they unlocked."""

    changed: int
    unlocked: int


class _Row(Struct, frozen=True, array_like=True):
    """A member as one query saw them."""

    place: int
    board: str | None
    version: int
    points: int
    edition: int
    numbers: list[int]
    totals: list[int]
    levels: list[int]

    def standing(self) -> Standing:
        """Return where the member stands."""
        return tuple(map(Progress, self.totals, self.levels))


_rows = msgspec.json.Decoder(list[_Row]).decode


class _Moved(NamedTuple):
    """A member whose standing must be set, and to what."""

    member: str
    row: _Row
    standing: Standing
    points: int

    @property
    def board(self) -> str | None:
        """The board that has to be told: points have changed, or it does not know the member."""
        is_news = self.row.points != self.points or not self.row.version
        return self.row.board if is_news else None


def recount(connection: sqlite3.Connection, members: Sequence[str], at_ms: int) -> Recounted:
    """Set the standings of these members, at most MEMBERS_AT_ONCE, in the caller's transaction.

    A member whose standing is what it should be costs no write. What is unlocked is recorded in
    the same transaction, so nobody else can find it again.
    """
    moved: list[_Moved] = []
    unlocks: list[Value] = []
    (text,) = connection.execute(_RECOUNT_READ, (json_list(members),)).fetchone()
    for row in _rows(text):
        before = row.standing()
        after, unlocked = settle(before, tuple(row.numbers))
        if after == before and row.edition in {0, EDITION}:
            continue
        moved.append(_Moved(members[row.place], row, after, points(after)))
        for unlock in unlocked:
            unlocks += (members[row.place], *unlock, at_ms)
    _store(connection, moved)
    _UNLOCKS.run(connection, unlocks)
    return Recounted(len(moved), len(unlocks) // _UNLOCK_COLUMNS)


def _store(connection: sqlite3.Connection, moved: Sequence[_Moved]) -> None:
    """Set the standings; a board is told only of members whose points are others than before."""
    told = [one.board for one in moved if one.board is not None]
    versions = boards.advance(connection, told) if told else {}
    values: list[Value] = []
    for one in moved:
        version = one.row.version if one.board is None else versions[one.board]
        values += (one.member, one.row.board, version, one.points, EDITION)
        for progress in one.standing:
            values += progress
    _STANDINGS.run(connection, values)


_PAGES_READ = (
    "SELECT json_array(c.organization, c.tracking_code,"  # noqa: S608  (own names)
    f" ({MOVED}), coalesce(s.points, 0), coalesce(s.seen, 0), {PROGRESS},"
    " json((SELECT json_group_array(json_array(number, achievement, level, points, at_ms)) FROM"
    " (SELECT number, achievement, level, points, at_ms FROM achievement_unlocks u"
    " WHERE u.member = c.member ORDER BY number))))"
    " FROM member_counters c LEFT JOIN achievement_standings s ON s.member = c.member"
    " WHERE c.member = ?"
)


class Unlocked(Struct, frozen=True, array_like=True):
    """A level on record: its number among all unlocks, and when it was unlocked."""

    number: int
    achievement: str
    level: int
    points: int
    at_ms: int


class MemberPage(Struct, frozen=True, array_like=True):
    """A member as one query saw them; `moved` when the counters are ahead of the standing."""

    organization: str | None
    tracking_code: str | None
    moved: bool
    points: int
    seen: int
    totals: list[int]
    levels: list[int]
    unlocked: list[Unlocked]


_page = msgspec.json.Decoder(MemberPage, strict=False).decode


def read_member(connection: sqlite3.Connection, member: str) -> MemberPage | None:
    """Read a member's page; None for whom nobody knows."""
    row = connection.execute(_PAGES_READ, (member,)).fetchone()
    return None if row is None else _page(row[0])
