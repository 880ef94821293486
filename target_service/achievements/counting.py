"""Adding to counters: a group of requests in one transaction, each stored whole or not at all.

Nothing here knows of achievements: what was counted is settled when somebody looks, or at night.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from target_service.achievements.members import CannotBe, EventReused, Refusal
from target_service.achievements.tracks import COLUMNS, NOTHING, Numbers, added, impossibilities
from target_service.ledger.bulk import BulkInsert, Value, json_list

_KNOWN = (
    "SELECT json_group_array(json_array(j.key, e.payload))"
    " FROM json_each(?) j CROSS JOIN counter_events e ON e.event_id = j.value"
)
_NUMBERS = (
    f"SELECT json_group_array(json_array(j.key, {', '.join(COLUMNS)}))"  # noqa: S608  (own names)
    " FROM json_each(?) j CROSS JOIN member_counters c ON c.member = j.value"
)
_known_rows = msgspec.json.Decoder(list[tuple[int, str]]).decode
_number_rows = msgspec.json.Decoder(list[list[int]]).decode
_EVENTS = BulkInsert("INSERT INTO counter_events (event_id, payload, at_ms)", 3)
_MEMBERS = BulkInsert(
    f"INSERT INTO member_counters (member, {', '.join(COLUMNS)})",
    1 + len(COLUMNS),
    "ON CONFLICT (member) DO UPDATE SET "
    + ", ".join(f"{column} = excluded.{column}" for column in COLUMNS),
)
_OLDEST = "SELECT at_ms FROM counter_events ORDER BY number LIMIT 1"
_FORGET = (
    "DELETE FROM counter_events WHERE number IN"
    " (SELECT number FROM counter_events ORDER BY number LIMIT ?) AND at_ms < ?"
)


class Add(NamedTuple):
    """One event: how much it adds to each counter."""

    event_id: str
    adds: Numbers


@dataclass(frozen=True, slots=True)
class Count:
    """The events of one request, all of one member."""

    member: str
    events: Sequence[Add]


class Counted(NamedTuple):
    """How many events of a request were added, and how many had been before."""

    applied: int
    duplicate: int


@dataclass(slots=True)
class _Draft:
    """What a group is about to store."""

    known: dict[str, str]
    numbers: dict[str, Numbers]
    events: list[Value] = field(default_factory=list)
    changed: dict[str, None] = field(default_factory=dict)


def count_all(
    connection: sqlite3.Connection, counts: Sequence[Count], at_ms: int
) -> list[Counted | Refusal]:
    """Store these requests in order, in the caller's transaction; say what became of each."""
    ids = [event.event_id for count in counts for event in count.events]
    members = list(dict.fromkeys(count.member for count in counts))
    draft = _Draft(_known(connection, ids), _numbers(connection, members))
    outcomes = [_decide(count, draft, at_ms) for count in counts]
    _EVENTS.run(connection, draft.events)
    rows: list[Value] = []
    for member in draft.changed:
        rows += (member, *draft.numbers[member])
    _MEMBERS.run(connection, rows)
    return outcomes


def forgettable(connection: sqlite3.Connection, before_ms: int) -> bool:
    """Tell whether the oldest event id is of a time past."""
    oldest = connection.execute(_OLDEST).fetchone()
    return oldest is not None and oldest[0] < before_ms


def forget(connection: sqlite3.Connection, before_ms: int, at_most: int) -> int:
    """Forget the oldest event ids of a time past; return how many."""
    return connection.execute(_FORGET, (at_most, before_ms)).rowcount


def payload(member: str, adds: Mapping[str, int]) -> str:
    """What an event says, in one text, whatever the order of its counters."""
    named = [f"{column}={add}" for column, add in sorted(adds.items()) if add]
    return f"{','.join(named)} {member}"


def _decide(count: Count, draft: _Draft, at_ms: int) -> Counted | Refusal:
    numbers = draft.numbers.get(count.member, NOTHING)
    fresh: dict[str, str] = {}
    for event in count.events:
        said = payload(count.member, dict(zip(COLUMNS, event.adds, strict=True)))
        earlier = fresh.get(event.event_id) or draft.known.get(event.event_id)
        if earlier is None:
            fresh[event.event_id] = said
            numbers = added(numbers, event.adds)
        elif earlier != said:
            return EventReused(event.event_id)
    problems = list(impossibilities(numbers)) if fresh else []
    if problems:
        return CannotBe(problems)
    if fresh:
        draft.known |= fresh
        draft.numbers[count.member] = numbers
        draft.changed[count.member] = None
        for event_id, said in fresh.items():
            draft.events += (event_id, said, at_ms)
    return Counted(len(fresh), len(count.events) - len(fresh))


def _known(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, str]:
    (text,) = connection.execute(_KNOWN, (json_list(ids),)).fetchone()
    return {ids[place]: payload for place, payload in _known_rows(text)}


def _numbers(connection: sqlite3.Connection, members: Sequence[str]) -> dict[str, Numbers]:
    (text,) = connection.execute(_NUMBERS, (json_list(members),)).fetchone()
    return {members[place]: tuple(numbers) for place, *numbers in _number_rows(text)}
