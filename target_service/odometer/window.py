"""The life of an event: scheduled, open, closing, closed, each step recorded and taken once."""

import sqlite3
from typing import NamedTuple

import msgspec

from target_service.odometer.event import Event, Final, State, reached


class Step(NamedTuple):
    """The state that follows, and when it is due."""

    state: State
    due_ms: int


def next_step(event: Event, closing_since_ms: int | None) -> Step | None:
    """Return what happens to an event next; nothing follows the end.

    The grace runs from the moment the closing was recorded: deliveries that waited while nobody
    was there to take them get as much of it as any other.
    """
    configuration = event.configuration
    match event.state:
        case State.SCHEDULED:
            return Step(State.OPEN, configuration.opens_at_ms)
        case State.OPEN:
            return Step(State.CLOSING, configuration.closes_at_ms)
        case State.CLOSING:
            since_ms = closing_since_ms or configuration.closes_at_ms
            return Step(State.CLOSED, since_ms + configuration.grace_seconds * 1_000)
        case State.CLOSED:
            return None


def closing_since_ms(connection: sqlite3.Connection, event: Event) -> int | None:
    """Return when the event's closing was recorded."""
    row = connection.execute(
        "SELECT at_ms FROM odometer_transitions WHERE event = ? AND state = 'closing'",
        (event.number,),
    ).fetchone()
    return None if row is None else row[0]


def take(connection: sqlite3.Connection, event: Event, step: Step, now_ms: int, token: int) -> None:
    """Record a step, within a transaction that holds the scheduler's lease."""
    connection.execute(
        "INSERT INTO odometer_transitions (event, state, due_ms, at_ms, token)"
        " VALUES (?, ?, ?, ?, ?)",
        (event.number, step.state.value, step.due_ms, now_ms, token),
    )
    connection.execute(
        "UPDATE odometer_events SET state = ? WHERE number = ?", (step.state.value, event.number)
    )
    if step.state is State.CLOSED:
        final = msgspec.json.encode(_read_final(connection, event, now_ms)).decode()
        connection.execute(
            "INSERT INTO odometer_finals (event, document) VALUES (?, ?)", (event.number, final)
        )


def _read_final(connection: sqlite3.Connection, event: Event, now_ms: int) -> Final:
    """Read total, tier and those who earned it, all at one change number."""
    contributors, joined, eligible, change = connection.execute(
        "SELECT (SELECT count(*) FROM odometer_contributions WHERE event = :event),"
        " (SELECT count(*) FROM odometer_joins WHERE event = :event),"
        " (SELECT count(*) FROM odometer_contributions JOIN odometer_joins USING (event, player)"
        "  WHERE event = :event),"
        " (SELECT coalesce(max(change), 0) FROM odometer_lake)",
        {"event": event.number},
    ).fetchone()
    return Final(
        total=event.total,
        races=event.races,
        tier=reached(event.total, event.configuration.tiers),
        contributors=contributors,
        joined=joined,
        eligible=eligible,
        change=change,
        closed_at_ms=now_ms,
    )
