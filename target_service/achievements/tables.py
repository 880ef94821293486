"""The tables of counters and achievements, in the ledger's file."""

import sqlite3
from collections.abc import Iterator

from target_service.achievements import migration
from target_service.achievements.tracks import COLUMNS, FUNNEL, TRACKS
from target_service.ledger.errors import LedgerUnusable
from target_service.ledger.store import Store

SCHEMA_VERSION = 2

_SIGNUPS, _ORGANIZATIONS, _PAID = FUNNEL
# What the list of tracks asks of each table; a file made under another list gets what it lacks.
_OF_TRACKS = {
    "member_counters": COLUMNS,
    "achievement_standings": tuple(
        column for track in TRACKS for column in (track.total_column, track.level_column)
    ),
}
_NUMBER = "INTEGER NOT NULL DEFAULT 0"
_COUNTERS, _PROGRESS = (
    ", ".join(f"{column} {_NUMBER}" for column in columns) for columns in _OF_TRACKS.values()
)

# `member_counters` is the truth of who a member is and what was counted.
# `counter_events` remembers event ids with what they added, the oldest first to be forgotten.
# `achievement_standings` is what a recount made of the counters, by achievement. `board` is the
# organisation on whose board the points stand, `version` the number of that board's change that put
# them there, `edition` the list of tracks it was settled by, `seen` the last unlock the member saw.
# `achievement_unlocks` is the record of unlocks and, after `published_to`, the outbox.
# `achievement_boards` counts each organisation's changes; a board in Redis that was begun before
# `base` may show somebody who has left.
# `achievement_nights`: when a night's reconcile was complete, and what became of its sweep.
_STANDINGS = f"""
CREATE TABLE achievement_standings (
    member TEXT PRIMARY KEY, board TEXT, version INTEGER NOT NULL DEFAULT 0,
    points INTEGER NOT NULL DEFAULT 0, edition INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0, {_PROGRESS}
) WITHOUT ROWID;
CREATE INDEX achievement_standings_by_board ON achievement_standings (board, version)
"""
_TABLES = f"""
CREATE TABLE member_counters (
    member TEXT PRIMARY KEY, tracking_code TEXT, organization TEXT, {_COUNTERS},
    CHECK ({_ORGANIZATIONS} <= {_SIGNUPS} AND {_PAID} <= {_ORGANIZATIONS})
) WITHOUT ROWID;
CREATE TABLE counter_events (
    number INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, payload TEXT NOT NULL,
    at_ms INTEGER NOT NULL
);
{_STANDINGS};
CREATE TABLE achievement_unlocks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, member TEXT NOT NULL, achievement TEXT NOT NULL,
    level INTEGER NOT NULL, points INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    UNIQUE (member, achievement, level)
);
CREATE TABLE achievement_boards (
    board TEXT PRIMARY KEY, version INTEGER NOT NULL, base INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE achievement_nights (
    night TEXT PRIMARY KEY, reconciled_ms INTEGER, outcome TEXT, decided_ms INTEGER
) WITHOUT ROWID;
CREATE TABLE achievement_sweeps (
    number INTEGER PRIMARY KEY AUTOINCREMENT, night TEXT, started_ms INTEGER NOT NULL,
    ended_ms INTEGER, took_ms INTEGER,
    scanned INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
    unlocked INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    counted INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE achievement_state (
    id INTEGER PRIMARY KEY CHECK (id = 1), schema_version INTEGER NOT NULL,
    published_to INTEGER NOT NULL, swept_to TEXT NOT NULL
);
INSERT INTO achievement_state VALUES (1, {SCHEMA_VERSION}, 0, '')
"""  # noqa: S608  (own names and numbers)


def prepare(store: Store) -> None:
    """Have the tables as this version and its list of tracks need them; refuse a later version's.

    Those of the version before are carried over, in one transaction.
    """
    connection = store.connect()
    try:
        if not _is_ready(store, connection):
            with store.write_transaction(connection):
                if not _is_ready(store, connection):
                    _make_ready(connection)
    finally:
        connection.close()


def _is_ready(store: Store, connection: sqlite3.Connection) -> bool:
    version = _version(connection)
    if version not in (None, migration.FROM_VERSION, SCHEMA_VERSION):
        raise LedgerUnusable(
            f"{store.path} has achievements of version {version}, this service reads version "
            f"{SCHEMA_VERSION}; use the version that wrote them, or choose another file."
        )
    return version == SCHEMA_VERSION and not any(_lacking(connection))


def _version(connection: sqlite3.Connection) -> int | None:
    """The version of the tables, None where there are none yet."""
    is_made = connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE name = 'achievement_state'"
    ).fetchone()
    if is_made is None:
        return None
    (version,) = connection.execute("SELECT schema_version FROM achievement_state").fetchone()
    return int(version)


def _make_ready(connection: sqlite3.Connection) -> None:
    version = _version(connection)
    if version is None:
        _run(connection, _TABLES)
    elif version == migration.FROM_VERSION:
        migration.migrate(connection, lambda: _run(connection, _STANDINGS))
        connection.execute("UPDATE achievement_state SET schema_version = ?", (SCHEMA_VERSION,))
    for table, column in _lacking(connection):
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} {_NUMBER}")


def _lacking(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """The columns of today's list of tracks that a file made under another one does not have."""
    for table, columns in _OF_TRACKS.items():
        rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        there = {name for (name,) in rows}
        yield from ((table, column) for column in columns if column.strip('"') not in there)


def _run(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        connection.execute(statement)
