"""What becomes of a delivery: lake, claim, contribution and total in one transaction."""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from target_service.http.problems import FieldProblem
from target_service.ledger.bulk import BulkInsert, Value, json_list
from target_service.odometer import tables as event_rows
from target_service.odometer.event import Configuration, Event, Kind, State
from target_service.odometer.race import Completed


class Outcome(StrEnum):
    """What became of a delivery; all but `counted` leave the total alone.

    `late` is `counted` after the end: for the player, no more for the event.
    """

    COUNTED = "counted"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    OUTSIDE = "outside"
    LATE = "late"


class Content(NamedTuple):
    """What makes two deliveries of one race the same."""

    player: str
    finished_at_ms: int
    amounts: str


class Delivery(NamedTuple):
    """One delivery of a race to an event; `amount` is what it is worth there."""

    event: int
    race: str
    content: Content
    amount: int


Claims = MutableMapping[tuple[int, str], Content]


def decide(
    delivery: Delivery, configuration: Configuration, is_closed: bool, claims: Claims
) -> Outcome:
    """Decide one delivery; the first one inside the window claims the race for good.

    A claim is looked at before the window, so that a claimed race sent again with another time
    is told as the conflict it is. A race outside claims nothing.
    """
    known = claims.get((delivery.event, delivery.race))
    if known is not None:
        return Outcome.DUPLICATE if known == delivery.content else Outcome.CONFLICT
    if not configuration.holds(delivery.content.finished_at_ms):
        return Outcome.OUTSIDE
    claims[delivery.event, delivery.race] = delivery.content
    return Outcome.LATE if is_closed else Outcome.COUNTED


Way = Literal["http", "stream"]


@dataclass(frozen=True, slots=True)
class Deliver:
    """Deliveries in the order they came; answered with one outcome each."""

    deliveries: Sequence[Delivery]
    way: Way


@dataclass(frozen=True, slots=True)
class Join:
    """A player who wants to join an event."""

    event: int
    player: str


class Refused(NamedTuple):
    """What came over the stream and is no race: why, and its whole text."""

    reason: str
    text: str


class Early(NamedTuple):
    """A race that came over the stream before its event was made, as it came."""

    event_id: str
    text: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """What is refused is kept to be looked at, the oldest forgotten; what is early waits."""

    refused: Sequence[Refused]
    early: Sequence[Early]


@dataclass(frozen=True, slots=True)
class TakeWaiting:
    """Races whose event has been made, and those that have waited long enough."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """One outcome per delivery."""

    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class Joined:
    """When the player joined, if not too late; `is_new` tells whether it was just now."""

    at_ms: int | None
    is_new: bool


@dataclass(frozen=True, slots=True)
class Kept:
    """What was set aside is stored."""


@dataclass(frozen=True, slots=True)
class WaitingTaken:
    """What became of the races that waited, and how many of them were refused."""

    outcomes: Sequence[Outcome]
    refused: int


Order: TypeAlias = Deliver | Join | SetAside | TakeWaiting
Done: TypeAlias = Delivered | Joined | Kept | WaitingTaken


_LAKE_COLUMNS = 10
_KNOWN = (
    "SELECT l.race, l.player, l.finished_at_ms, l.amounts"
    " FROM json_each(?) j CROSS JOIN odometer_lake l ON l.event = ? AND l.race = j.value"
    " WHERE l.outcome IN ('counted', 'late')"
)
_ADD = (
    "INSERT INTO {table} (event, player, amount, races) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (event, player) DO UPDATE SET"
    " amount = {amount}, races = races + excluded.races"
)
_AMOUNT = {True: "max(amount, excluded.amount)", False: "amount + excluded.amount"}
# Of these players, those who had joined and not raced.
_WITHOUT_A_RACE = (
    "SELECT count(*) FROM json_each(:players) p"
    " JOIN odometer_joins j ON j.event = :event AND j.player = p.value"
    " WHERE NOT EXISTS (SELECT 1 FROM odometer_contributions c"
    "  WHERE c.event = :event AND c.player = p.value)"
    " AND NOT EXISTS (SELECT 1 FROM odometer_late_contributions c"
    "  WHERE c.event = :event AND c.player = p.value)"
)


class Apply:
    """Applies groups of deliveries, each group within a transaction of the caller's."""

    def __init__(self) -> None:
        self._insert = BulkInsert("INSERT INTO odometer_lake", _LAKE_COLUMNS)

    def __call__(
        self, connection: sqlite3.Connection, asked: Sequence[Deliver], now_ms: int
    ) -> list[Delivered]:
        """Append every delivery to the lake and count those that count, in order."""
        deliveries = [one for deliver in asked for one in deliver.deliveries]
        events = event_rows.numbered(connection, sorted({one.event for one in deliveries}))
        draft = _Draft(events, _known(connection, deliveries), _last_change(connection), now_ms)
        done = [
            Delivered([draft.add(one, deliver.way) for one in deliver.deliveries])
            for deliver in asked
        ]
        self._insert.run(connection, draft.rows)
        for number, counted in draft.counted.items():
            _count(connection, events[number], counted)
        for number, late in draft.late.items():
            _count_late(connection, events[number], late)
        return done


class _Counted:
    """What a group adds to one event."""

    def __init__(self) -> None:
        self.amounts: dict[str, list[int]] = defaultdict(list)
        self.change = 0


class _Draft:
    """A group being decided: the lake's rows, and what they add to each event."""

    def __init__(
        self, events: Mapping[int, Event], claims: Claims, last_change: int, now_ms: int
    ) -> None:
        self.rows: list[Value] = []
        self.counted: dict[int, _Counted] = defaultdict(_Counted)
        self.late: dict[int, _Counted] = defaultdict(_Counted)
        self._events = events
        self._claims = claims
        self._change = last_change
        self._now_ms = now_ms

    def add(self, one: Delivery, way: Way) -> Outcome:
        """Decide the next delivery."""
        event = self._events[one.event]
        is_closed = event.state is State.CLOSED
        outcome = decide(one, event.configuration, is_closed, self._claims)
        self._change += 1
        self.rows += (self._change, one.event, one.race, *one.content, one.amount)
        self.rows += (outcome.value, way, self._now_ms)
        if outcome in {Outcome.COUNTED, Outcome.LATE}:
            kept = (self.late if outcome is Outcome.LATE else self.counted)[one.event]
            kept.amounts[one.content.player].append(one.amount)
            kept.change = self._change
        return outcome


def _known(connection: sqlite3.Connection, deliveries: Iterable[Delivery]) -> Claims:
    """Return what the lake already holds of these races."""
    races: dict[int, list[str]] = defaultdict(list)
    for one in deliveries:
        races[one.event].append(one.race)
    return {
        (event, race): Content(*content)
        for event, asked in races.items()
        for race, *content in connection.execute(_KNOWN, (json_list(asked), event))
    }


def _last_change(connection: sqlite3.Connection) -> int:
    (last,) = connection.execute("SELECT coalesce(max(change), 0) FROM odometer_lake").fetchone()
    return int(last)


def _count(connection: sqlite3.Connection, event: Event, counted: _Counted) -> None:
    """Add to the contributions first, then to the total."""
    amount, races = _add(connection, "odometer_contributions", event, counted)
    connection.execute(
        "UPDATE odometer_events SET total = ?, races = races + ?, change = ? WHERE number = ?",
        (_kind(event).fold((event.total, amount)), races, counted.change, event.number),
    )


def _count_late(connection: sqlite3.Connection, event: Event, late: _Counted) -> None:
    """Add to what players did in time and was delivered after the end; the total stays."""
    players = {"event": event.number, "players": json_list(list(late.amounts))}
    (newly_eligible,) = connection.execute(_WITHOUT_A_RACE, players).fetchone()
    amount, races = _add(connection, "odometer_late_contributions", event, late)
    connection.execute(
        "UPDATE odometer_events SET late = late + ?, late_amount = ?,"
        " late_eligible = late_eligible + ? WHERE number = ?",
        (races, _kind(event).fold((event.late_amount, amount)), newly_eligible, event.number),
    )


def _add(
    connection: sqlite3.Connection, table: str, event: Event, counted: _Counted
) -> tuple[int, int]:
    """Add to every player's part; return what the group amounts to, and its races."""
    kind = _kind(event)
    amounts = {player: kind.fold(each) for player, each in counted.amounts.items()}
    connection.executemany(
        _ADD.format(table=table, amount=_AMOUNT[kind is Kind.MAX]),
        [
            (event.number, player, amount, len(counted.amounts[player]))
            for player, amount in amounts.items()
        ],
    )
    return kind.fold(amounts.values()), sum(map(len, counted.amounts.values()))


def _kind(event: Event) -> Kind:
    return event.configuration.aggregate.kind


def amounts_text(amounts: Mapping[str, int]) -> str:
    """Return a race's amounts in the one form in which they are kept and compared."""
    return msgspec.json.encode(amounts, order="sorted").decode()


def misfits(event: Event | None, race: Completed) -> list[FieldProblem]:
    """Return why a race cannot be delivered to its event, if there is one at all."""
    if event is None:
        sentence = "names no event; PUT /v1/events/{event_id} makes one"
        return [FieldProblem(f"{race.where}event_id", sentence)]
    field = event.configuration.aggregate.field
    if field not in race.amounts:
        sentence = f"is missing, and is what event {event.id} counts"
        return [FieldProblem(f"{race.where}amounts.{field}", sentence)]
    return []


def delivery_of(event: Event, race: Completed) -> Delivery:
    """Return a race as a delivery to its event."""
    aggregate = event.configuration.aggregate
    content = Content(race.player_id, race.finished_at_ms, amounts_text(race.amounts))
    amount = aggregate.kind.amount(race.amounts[aggregate.field])
    return Delivery(event.number, race.race_id, content, amount)
