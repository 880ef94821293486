"""Members with a tracking code, a page at a time, and who of them has moved."""

import sqlite3
from typing import NamedTuple

import msgspec

from target_service.achievements.recount import MOVED

# Sorts behind every id: none has a character beyond it.
BEYOND = "\U0010ffff" * 65
_PAGE_MEMBERS = 1_000
# One row for a page: its members, the last of them, and those who have moved.
_PAGE = (
    "SELECT count(*), max(member), json_group_array(member) FILTER (WHERE moved) FROM"  # noqa: S608  (own names)
    f" (SELECT c.member AS member, ({MOVED}) AS moved FROM member_counters c"
    " LEFT JOIN achievement_standings s ON s.member = c.member"
    " WHERE c.tracking_code IS NOT NULL AND c.member > ? AND c.member <= ?"
    " ORDER BY c.member LIMIT ?)"
)
_members = msgspec.json.Decoder(list[str]).decode


class Page(NamedTuple):
    """How many members, the last of them, and those whose standing is not what it should be."""

    members: int
    last: str
    moved: list[str]


def read_page(connection: sqlite3.Connection, after: str, up_to: str) -> Page | None:
    """Read the members after one, up to another; None when there are none."""
    members, last, moved = connection.execute(_PAGE, (after, up_to, _PAGE_MEMBERS)).fetchone()
    return Page(members, last, _members(moved)) if members else None
