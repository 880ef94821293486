"""What a member's pages show, read in one query."""

import sqlite3

import msgspec
from msgspec import Struct

from target_service.achievements.recount import MOVED, PROGRESS

_READ = (
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
    row = connection.execute(_READ, (member,)).fetchone()
    return None if row is None else _page(row[0])
