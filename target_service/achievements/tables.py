"""The tables of counters and achievements, in the ledger's file."""

import sqlite3

from target_service.achievements.counters import COLUMNS, FUNNEL
from target_service.ledger.errors import LedgerUnusable
from target_service.ledger.store import Store

SCHEMA_VERSION = 1

_SIGNUPS, _ORGANIZATIONS, _PAID = FUNNEL
_COUNTERS = ", ".join(f"{column} INTEGER NOT NULL DEFAULT 0" for column in COLUMNS)
_PROGRESS = ", ".join(
    f"{column}_total INTEGER NOT NULL DEFAULT 0, {column}_level INTEGER NOT NULL DEFAULT 0"
    for column in COLUMNS
)

# `member_counters` is the truth of who a member is and what was counted.
# `counter_events` remembers event ids with what they added, the oldest first to be forgotten.
# `achievement_standings` is what a recount made of the counters. `board` is the organisation on
# whose board the points stand, `version` the number of that board's change that put them there,
# `edition` the list of tracks it was settled by, `seen` the last unlock the member has seen.
# `achievement_unlocks` is the record of unlocks and, after `published_to`, the outbox.
# `achievement_boards` counts each organisation's changes; a board in Redis that was begun before
# `base` may show somebody who has left.
# `achievement_nights`: when a night's reconcile was complete, and what became of its sweep.
_TABLES = f"""
CREATE TABLE member_counters (
    member TEXT PRIMARY KEY, tracking_code TEXT, organization TEXT, {_COUNTERS},
    CHECK ({_ORGANIZATIONS} <= {_SIGNUPS} AND {_PAID} <= {_ORGANIZATIONS})
) WITHOUT ROWID;
CREATE TABLE counter_events (
    number INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, payload TEXT NOT NULL,
    at_ms INTEGER NOT NULL
);
CREATE TABLE achievement_standings (
    member TEXT PRIMARY KEY, board TEXT, version INTEGER NOT NULL DEFAULT 0,
    points INTEGER NOT NULL DEFAULT 0, edition INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0, {_PROGRESS}
) WITHOUT ROWID;
CREATE INDEX achievement_standings_by_board ON achievement_standings (board, version);
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
    ended_ms INTEGER, scanned INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0,
    unlocked INTEGER NOT NULL DEFAULT 0, counted INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE achievement_state (
    id INTEGER PRIMARY KEY CHECK (id = 1), schema_version INTEGER NOT NULL,
    published_to INTEGER NOT NULL, swept_to TEXT NOT NULL
);
INSERT INTO achievement_state VALUES (1, {SCHEMA_VERSION}, 0, '')
"""  # noqa: S608  (own names and numbers)


def prepare(store: Store) -> None:
    """Make the tables in one transaction, unless somebody has; refuse those of another version."""
    connection = store.connect()
    try:
        if not _are_made(store, connection):
            with store.write(connection):
                if not _are_made(store, connection):
                    for statement in _TABLES.split(";"):
                        connection.execute(statement)
    finally:
        connection.close()


def _are_made(store: Store, connection: sqlite3.Connection) -> bool:
    found = connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE name = 'achievement_state'"
    ).fetchone()
    if found is None:
        return False
    (version,) = connection.execute("SELECT schema_version FROM achievement_state").fetchone()
    if version != SCHEMA_VERSION:
        raise LedgerUnusable(
            f"{store.path} has achievements of version {version}, this service reads version "
            f"{SCHEMA_VERSION}; use the version that wrote them, or choose another file."
        )
    return True
