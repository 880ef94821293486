"""Making an event, and changing one that has not opened."""

import sqlite3
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from target_service.odometer import tables as event_rows
from target_service.odometer.configuration import EVENTS_AT_MOST
from target_service.odometer.event import Configuration, Event, State


@dataclass(frozen=True, slots=True)
class Put:
    """The event as it stands now, and whether that took a change."""

    event: Event
    what: Literal["made", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why the event stays as it is."""

    sentence: str
    is_full: bool = False


PutOutcome: TypeAlias = Put | Refused


def put(
    connection: sqlite3.Connection, event_id: str, wanted: Configuration, now_ms: int
) -> PutOutcome:
    """Make or change the event, within the caller's transaction."""
    event = event_rows.find(connection, event_id)
    if event is None:
        return _make(connection, event_id, wanted)
    if event.configuration == wanted:
        return Put(event, "unchanged")
    sentence = objection(event, wanted, now_ms)
    if sentence is not None:
        return Refused(sentence)
    connection.execute(
        "UPDATE odometer_events SET configuration = ?, opens_at_ms = ?, closes_at_ms = ?"
        " WHERE number = ?",
        (*_columns(wanted), event.number),
    )
    return Put(_found(connection, event_id), "changed")


def objection(event: Event, wanted: Configuration, now_ms: int) -> str | None:
    """Say why the event may not change so; how often its copies are refreshed always may."""
    present = event.configuration
    if present.aggregate != wanted.aggregate:
        return f"Event {event.id} keeps what it adds up; make another event for another aggregate."
    has_opened = event.state is not State.SCHEDULED or now_ms >= present.opens_at_ms
    refreshed = msgspec.structs.replace(present, refresh_ms=wanted.refresh_ms)
    if (has_opened or event.races) and refreshed != wanted:
        return f"Event {event.id} has opened: its window, its grace and its tiers stay."
    return None


def _make(connection: sqlite3.Connection, event_id: str, wanted: Configuration) -> PutOutcome:
    (events,) = connection.execute(
        "SELECT count(*) FROM odometer_events WHERE state <> 'closed'"
    ).fetchone()
    if events >= EVENTS_AT_MOST:
        sentence = f"There are {events:,} events that have not ended, and no more at once."
        return Refused(f"{sentence} Wait until one ends.", is_full=True)
    connection.execute(
        "INSERT INTO odometer_events (id, configuration, opens_at_ms, closes_at_ms, state)"
        " VALUES (?, ?, ?, ?, 'scheduled')",
        (event_id, *_columns(wanted)),
    )
    return Put(_found(connection, event_id), "made")


def _columns(wanted: Configuration) -> tuple[str, int, int]:
    text = msgspec.json.encode(wanted).decode()
    return (text, wanted.opens_at_ms, wanted.closes_at_ms)


def _found(connection: sqlite3.Connection, event_id: str) -> Event:
    event = event_rows.find(connection, event_id)
    if event is None:
        raise LookupError(event_id)
    return event
