"""The odometer's tables in the ledger's file, and events as rows."""

import sqlite3
from collections.abc import Sequence

import msgspec

from target_service.ledger.bulk import json_list
from target_service.ledger.store import Store
from target_service.odometer.event import Configuration, Event, Final, State

# Where players' parts are kept, by the outcome of the races they come from.
PARTS = {"counted": "odometer_contributions", "late": "odometer_late_contributions"}
_TABLES = """
CREATE TABLE odometer_events (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, configuration TEXT NOT NULL,
    opens_at_ms INTEGER NOT NULL, closes_at_ms INTEGER NOT NULL, state TEXT NOT NULL,
    total INTEGER NOT NULL DEFAULT 0, races INTEGER NOT NULL DEFAULT 0,
    late INTEGER NOT NULL DEFAULT 0, change INTEGER NOT NULL DEFAULT 0,
    late_amount INTEGER NOT NULL DEFAULT 0, late_eligible INTEGER NOT NULL DEFAULT 0
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
CREATE TABLE odometer_late_contributions (
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
CREATE TABLE odometer_waiting (
    id INTEGER PRIMARY KEY, event TEXT NOT NULL, race TEXT NOT NULL, at_ms INTEGER NOT NULL
);
CREATE INDEX odometer_waiting_for ON odometer_waiting (event);
CREATE TABLE odometer_copies (event TEXT PRIMARY KEY, copy BLOB NOT NULL) WITHOUT ROWID;
"""
# What an earlier build did not make, filled from the lake.
_LATER_TABLES = ("odometer_late_contributions", "odometer_waiting", "odometer_copies")
_UPGRADE = (
    "ALTER TABLE odometer_events ADD COLUMN late_amount INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE odometer_events ADD COLUMN late_eligible INTEGER NOT NULL DEFAULT 0",
    """
    INSERT INTO odometer_late_contributions (event, player, amount, races)
    SELECT l.event, l.player,
        CASE json_extract(e.configuration, '$.aggregate.kind')
            WHEN 'max' THEN max(l.amount) ELSE sum(l.amount) END, count(*)
    FROM odometer_lake l JOIN odometer_events e ON e.number = l.event
    WHERE l.outcome = 'late' GROUP BY l.event, l.player
    """,
    """
    UPDATE odometer_events SET
        late_amount = (
            SELECT coalesce(CASE json_extract(configuration, '$.aggregate.kind')
                WHEN 'max' THEN max(amount) ELSE sum(amount) END, 0)
            FROM odometer_late_contributions WHERE event = number),
        late_eligible = (
            SELECT count(*) FROM odometer_late_contributions JOIN odometer_joins
                USING (event, player)
            WHERE event = number AND (event, player) NOT IN (
                SELECT event, player FROM odometer_contributions))
    """,
)


def prepare(store: Store) -> str:
    """Make the tables that are not there, in one transaction; return the ledger's id."""
    connection = store.connect()
    try:
        if not _is_there(connection, "odometer_copies"):
            with store.write_transaction(connection):
                _make(connection)
        (ledger_id,) = connection.execute("SELECT ledger_id FROM state").fetchone()
        return str(ledger_id)
    finally:
        connection.close()


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables, or those that are new, unless another process has since this one looked."""
    if _is_there(connection, "odometer_copies"):
        return
    statements = [statement for statement in _TABLES.split(";") if statement.strip()]
    if _is_there(connection, "odometer_events"):
        later = [one for one in statements if any(name in one for name in _LATER_TABLES)]
        statements = [*later, *_UPGRADE]
    for statement in statements:
        connection.execute(statement)


def _is_there(connection: sqlite3.Connection, table: str) -> bool:
    row = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,))
    return row.fetchone() is not None


_SELECT = (
    "SELECT e.number, e.id, e.configuration, e.state, e.total, e.races, e.late, e.change,"
    " f.document, e.late_amount, e.late_eligible"
    " FROM odometer_events e LEFT JOIN odometer_finals f ON f.event = e.number"
)
_NUMBERED = f"{_SELECT} WHERE e.number IN (SELECT value FROM json_each(?))"  # noqa: S608 - ours
_configuration = msgspec.json.Decoder(Configuration).decode
_final = msgspec.json.Decoder(Final).decode

Row = tuple[int, str, str, str, int, int, int, int, str | None, int, int]


def find(connection: sqlite3.Connection, event_id: str) -> Event | None:
    """Return the event of this id."""
    row = connection.execute(_SELECT + " WHERE e.id = ?", (event_id,)).fetchone()
    return None if row is None else _event(row)


def find_all(connection: sqlite3.Connection) -> list[Event]:
    """Return every event, in the order they were made."""
    return [_event(row) for row in connection.execute(_SELECT + " ORDER BY e.number")]


def projected(connection: sqlite3.Connection, since_ms: int) -> list[Event]:
    """Return the events that have not ended, and those that have since."""
    rows = connection.execute(
        _SELECT + " WHERE e.state <> 'closed' OR e.number IN (SELECT event FROM"
        " odometer_transitions WHERE state = 'closed' AND at_ms > ?) ORDER BY e.number",
        (since_ms,),
    )
    return [_event(row) for row in rows]


def unfinished(connection: sqlite3.Connection) -> list[Event]:
    """Return the events that are not closed, in the order they were made."""
    rows = connection.execute(_SELECT + " WHERE e.state <> 'closed' ORDER BY e.number")
    return [_event(row) for row in rows]


def numbered(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Event]:
    """Return the events of these numbers."""
    rows = connection.execute(_NUMBERED, (json_list(numbers),))
    return {row[0]: _event(row) for row in rows}


def _event(row: Row) -> Event:
    number, event_id, configuration, state, total, races, late, change, final, *after_end = row
    return Event(
        number,
        event_id,
        _configuration(configuration),
        State(state),
        total,
        races,
        late,
        change,
        None if final is None else _final(final),
        *after_end,
    )
