"""The tables of a ledger file, and how one is told from any other file."""

import sqlite3
import uuid
from pathlib import Path

from target_service.ledger.errors import LedgerUnusable

APPLICATION_ID = 0x486F7442
SCHEMA_VERSION = 1

# `events` is the log: one row per applied event, in order of its change number. It is at once the
# record of event ids, the change log and the redo log of `players`.
# `events.sequence` is the event's own one, or minus the player's last one (0: none yet) when the
# event came without: a row then says what it was and what it led to.
# `players` holds every player's latest standing, except for changes after `state.folded_to`,
# which are read from `events`; the view `standings` puts both together, for any reader.
# `unprojected` holds disjoint ranges of change numbers.
_TABLES = """
CREATE TABLE boards (
    id INTEGER PRIMARY KEY, season TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (season, name)
);
CREATE TABLE events (
    change INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, player TEXT NOT NULL,
    board INTEGER NOT NULL, score INTEGER NOT NULL, old_score INTEGER,
    sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL
);
CREATE TABLE players (
    season TEXT NOT NULL, player TEXT NOT NULL, board INTEGER NOT NULL, score INTEGER NOT NULL,
    sequence INTEGER NOT NULL, change INTEGER NOT NULL, PRIMARY KEY (season, player)
) WITHOUT ROWID;
CREATE VIEW standings (season, board, player, score, sequence, change) AS
    SELECT season, name, player, score, sequence, max(change) FROM (
        SELECT board, player, score, sequence, change FROM players
        UNION ALL
        SELECT board, player, score, abs(sequence), change FROM events
        WHERE change > (SELECT folded_to FROM state)
    ) JOIN boards ON boards.id = board GROUP BY season, player;
CREATE TABLE unprojected (first INTEGER PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL,
    last_change INTEGER NOT NULL, folded_to INTEGER NOT NULL, trimmed_to INTEGER NOT NULL
);
CREATE TABLE leases (
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, token INTEGER NOT NULL, until_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE holds (name TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID;
"""


def is_empty(connection: sqlite3.Connection) -> bool:
    """Tell whether the file holds nothing at all yet."""
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return bool(objects == 0 and _pragma(connection, "user_version") == 0)


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, inside the caller's transaction."""
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.execute(statement)
    connection.execute("INSERT INTO state VALUES (1, ?, 0, 0, 0)", (uuid.uuid4().hex,))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is no ledger, or one this version cannot read."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise LedgerUnusable(
            f"{path} is a database of something else, not a ledger; choose another file."
        )
    version = _pragma(connection, "user_version")
    if version != SCHEMA_VERSION:
        raise LedgerUnusable(
            f"{path} has schema version {version}, this service reads version {SCHEMA_VERSION}; "
            "use the version that wrote it, or choose another file."
        )
    if connection.execute("SELECT count(*) FROM state").fetchone() != (1,):
        raise LedgerUnusable(f"{path} has lost its state row; restore it from a copy.")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)
