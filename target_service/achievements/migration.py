"""Carrying over tables of the version before, whose standings were kept by column.

The record of unlocks was always kept by achievement, so it says what every member has: levels are
taken from it, and whoever had ever been settled is settled anew. Where counters had changed places
in the list of tracks a level could be left out below one that was unlocked; it is recorded now.
"""

import sqlite3
from collections.abc import Callable

from target_service.achievements.counting import payload
from target_service.achievements.tracks import TRACKS

FROM_VERSION = 1
# The edition of no list of tracks: an edition is a checksum, and those are positive.
_OF_NO_LIST = -1
# The order in which version 1 wrote down what an event adds.
_ADDS = (
    "page_views",
    "unique_visitors",
    "link_clicks",
    "signups",
    "organizations",
    "paid_accounts",
)
_STANDINGS = (
    "INSERT INTO achievement_standings (member, board, version, points, edition, seen)"
    " SELECT member, board, version, points, CASE edition WHEN 0 THEN 0 ELSE ? END, seen"
    " FROM standings_by_column"
)
_LEFT_OUT = (
    "INSERT INTO achievement_unlocks (member, achievement, level, points, at_ms)"
    " SELECT member, achievement, ?2, ?3, min(at_ms) FILTER (WHERE level > ?2)"
    " FROM achievement_unlocks WHERE achievement = ?1 GROUP BY member"
    " HAVING max(level) > ?2 AND NOT max(level = ?2)"
)


def migrate(connection: sqlite3.Connection, make_standings: Callable[[], None]) -> None:
    """Change the tables of version 1 into those of version 2, in the caller's transaction."""
    connection.execute("ALTER TABLE achievement_standings RENAME TO standings_by_column")
    connection.execute("DROP INDEX achievement_standings_by_board")
    make_standings()
    connection.execute(_STANDINGS, (_OF_NO_LIST,))
    connection.execute("DROP TABLE standings_by_column")
    for track in TRACKS:
        for number, level in enumerate(track.levels, 1):
            connection.execute(_LEFT_OUT, (track.achievement, number, level.points))
        connection.execute(
            f"UPDATE achievement_standings SET {track.level_column} = coalesce("  # noqa: S608  (own names)
            "(SELECT max(level) FROM achievement_unlocks u WHERE u.achievement = ?"
            " AND u.member = achievement_standings.member), 0)",
            (track.achievement,),
        )
    for column in ("failed INTEGER NOT NULL DEFAULT 0", "took_ms INTEGER"):
        connection.execute(f"ALTER TABLE achievement_sweeps ADD COLUMN {column}")
    connection.execute("UPDATE achievement_sweeps SET took_ms = max(0, ended_ms - started_ms)")
    connection.create_function("by_name", 1, _by_name, deterministic=True)
    connection.execute("UPDATE counter_events SET payload = by_name(payload)")


def _by_name(adds_and_member: str) -> str:
    adds, _, member = adds_and_member.partition(" ")
    return payload(member, dict(zip(_ADDS, map(int, adds.split(",")), strict=True)))
