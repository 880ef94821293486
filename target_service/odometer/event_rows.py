"""Events as rows."""

import sqlite3
from collections.abc import Sequence

import msgspec

from target_service.ledger.bulk import json_list
from target_service.odometer.event import Configuration, Event, Final, State

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
