"""What came over the stream and is set aside: refused for good, or waiting for its event.

A race may come before its event is made. It waits in the ledger's file, not in the stream: the
races around it count at once, and Redis may go.
"""

import sqlite3
from collections.abc import Sequence

from target_service.http.fields import BadFields
from target_service.odometer import tables as event_rows
from target_service.odometer.configuration import RACES_AT_ONCE, REJECTED_AT_MOST, WAITING_MINUTES
from target_service.odometer.deliveries import (
    Apply,
    Deliver,
    Early,
    Refused,
    WaitingTaken,
    delivery_of,
    misfits,
)
from target_service.odometer.race import read_race

_WAITING_MS = WAITING_MINUTES * 60_000
_NEVER_MADE = f"event_id names no event, and none was made in the {WAITING_MINUTES} minutes since"
_MADE = (
    "SELECT w.id, w.race FROM odometer_waiting w JOIN odometer_events e ON e.id = w.event"
    " ORDER BY w.id LIMIT ?"
)
_OVERDUE = (
    "SELECT id, race FROM odometer_waiting WHERE at_ms <= ?"
    " AND event NOT IN (SELECT id FROM odometer_events) ORDER BY id LIMIT ?"
)


def refuse(connection: sqlite3.Connection, refused: Sequence[Refused], now_ms: int) -> None:
    """Keep what is refused, whole, and forget the oldest of it."""
    for reason, text in refused:
        (number,) = connection.execute(
            "INSERT INTO odometer_rejected (reason, payload, at_ms) VALUES (?, ?, ?) RETURNING id",
            (reason, text, now_ms),
        ).fetchone()
        oldest = number - REJECTED_AT_MOST
        connection.execute("DELETE FROM odometer_rejected WHERE id <= ?", (oldest,))


def wait(connection: sqlite3.Connection, early: Sequence[Early], now_ms: int) -> None:
    """Let races wait for their events."""
    connection.executemany(
        "INSERT INTO odometer_waiting (event, race, at_ms) VALUES (?, ?, ?)",
        [(event_id, text, now_ms) for event_id, text in early],
    )


def is_any_due(connection: sqlite3.Connection, now_ms: int) -> bool:
    """Tell whether there is a race that need not wait any longer."""
    if connection.execute("SELECT 1 FROM odometer_waiting LIMIT 1").fetchone() is None:
        return False
    made = connection.execute(_MADE, (1,)).fetchone()
    return (made or connection.execute(_OVERDUE, (now_ms - _WAITING_MS, 1)).fetchone()) is not None


def take(connection: sqlite3.Connection, apply: Apply, now_ms: int) -> WaitingTaken:
    """Apply races whose event has been made, and refuse those that waited long enough."""
    made = connection.execute(_MADE, (RACES_AT_ONCE,)).fetchall()
    overdue = connection.execute(_OVERDUE, (now_ms - _WAITING_MS, RACES_AT_ONCE)).fetchall()
    deliveries, refused = [], [Refused(_NEVER_MADE, text) for _, text in overdue]
    for _, text in made:
        race = read_race(text)
        problems = misfits(event := event_rows.find(connection, race.event_id), race)
        if event is None or problems:
            refused.append(Refused(str(BadFields(problems)), text))
        else:
            deliveries.append(delivery_of(event, race))
    refuse(connection, refused, now_ms)
    (done,) = apply(connection, [Deliver(deliveries, "stream")], now_ms)
    connection.executemany(
        "DELETE FROM odometer_waiting WHERE id = ?", [(number,) for number, _ in made + overdue]
    )
    return WaitingTaken(done.outcomes, len(refused))
