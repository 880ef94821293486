"""Noting how far a member has seen their unlocks."""

import sqlite3

_SEE = (
    "UPDATE achievement_standings SET seen = ?2 WHERE member = ?1 AND seen < ?2"
    " AND ?2 <= (SELECT coalesce(max(number), 0) FROM achievement_unlocks WHERE member = ?1)"
)


def see(connection: sqlite3.Connection, _at_ms: int, member: str, number: int) -> None:
    """Move the mark forward, never back and never beyond what the member has unlocked."""
    connection.execute(_SEE, (member, number))
