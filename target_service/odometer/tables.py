"""The odometer's tables in the ledger's file.

`odometer_lake` is the record: one row per delivery, whatever became of it, numbered in order of
arrival, never changed or deleted. The unique index on what was claimed is the promise that no
race counts twice: the database itself refuses a second row. Everything else can be made from the
lake again, except who joined and what was configured.
"""

import sqlite3

from target_service.ledger.store import Store

_TABLES = """
CREATE TABLE odometer_events (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, configuration TEXT NOT NULL,
    opens_at_ms INTEGER NOT NULL, closes_at_ms INTEGER NOT NULL, state TEXT NOT NULL,
    total INTEGER NOT NULL DEFAULT 0, races INTEGER NOT NULL DEFAULT 0,
    late INTEGER NOT NULL DEFAULT 0, change INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE odometer_lake (
    change INTEGER PRIMARY KEY, event INTEGER NOT NULL, race TEXT NOT NULL, player TEXT NOT NULL,
    finished_at_ms INTEGER NOT NULL, amounts TEXT NOT NULL, amount INTEGER NOT NULL,
    outcome TEXT NOT NULL, way TEXT NOT NULL, at_ms INTEGER NOT NULL
);
CREATE UNIQUE INDEX odometer_claims ON odometer_lake (event, race)
    WHERE outcome IN ('counted', 'late');
CREATE TABLE odometer_contributions (
    event INTEGER NOT NULL, player TEXT NOT NULL, amount INTEGER NOT NULL, races INTEGER NOT NULL,
    PRIMARY KEY (event, player)
) WITHOUT ROWID;
CREATE TABLE odometer_joins (
    event INTEGER NOT NULL, player TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (event, player)
) WITHOUT ROWID;
CREATE TABLE odometer_transitions (
    event INTEGER NOT NULL, state TEXT NOT NULL, due_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    token INTEGER NOT NULL, PRIMARY KEY (event, state)
) WITHOUT ROWID;
CREATE TABLE odometer_finals (event INTEGER PRIMARY KEY, document TEXT NOT NULL);
CREATE TABLE odometer_rejected (
    id INTEGER PRIMARY KEY, reason TEXT NOT NULL, payload TEXT NOT NULL, at_ms INTEGER NOT NULL
);
"""


def prepare(store: Store) -> str:
    """Make the tables that are not there, in one transaction; return the ledger's id."""
    connection = store.connect()
    try:
        if not _are_there(connection):
            with store.write(connection):
                _make(connection)
        (ledger_id,) = connection.execute("SELECT ledger_id FROM state").fetchone()
        return str(ledger_id)
    finally:
        connection.close()


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables, unless another process has since this one looked."""
    if not _are_there(connection):
        for statement in filter(str.strip, _TABLES.split(";")):
            connection.execute(statement)


def _are_there(connection: sqlite3.Connection) -> bool:
    row = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'odometer_rejected'")
    return row.fetchone() is not None
