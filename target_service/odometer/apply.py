"""Applying deliveries: lake, claim, contribution and total in one transaction.

The original claims a race in a cache first and adds afterwards, three round trips in all. A crash
in between loses the race, on purpose: losing one is better than counting it twice. Here a crash
in between undoes the claim with the rest, so nothing is lost either; what stays is the rule that
nothing is ever counted twice, and that the lake is right.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from target_service.ledger.bulk import BulkInsert, Value, json_list
from target_service.odometer import event_rows
from target_service.odometer.aggregate import Kind
from target_service.odometer.decisions import Claims, Content, Delivery, Outcome, decide
from target_service.odometer.event import Event, State
from target_service.odometer.orders import Deliver, Delivered, Way

_LAKE_COLUMNS = 10
_KNOWN = (
    "SELECT l.race, l.player, l.finished_at_ms, l.amounts"
    " FROM json_each(?) j CROSS JOIN odometer_lake l ON l.event = ? AND l.race = j.value"
    " WHERE l.outcome IN ('counted', 'late')"
)
_ADD = (
    "INSERT INTO odometer_contributions (event, player, amount, races) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (event, player) DO UPDATE SET"
    " amount = amount + excluded.amount, races = races + excluded.races"
)
_RAISE = _ADD.replace("amount + excluded.amount", "max(amount, excluded.amount)")


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
        connection.executemany(
            "UPDATE odometer_events SET late = late + ? WHERE number = ?",
            [(races, number) for number, races in draft.late.items()],
        )
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
        self.late: dict[int, int] = defaultdict(int)
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
        if outcome is Outcome.COUNTED:
            counted = self.counted[one.event]
            counted.amounts[one.content.player].append(one.amount)
            counted.change = self._change
        elif outcome is Outcome.LATE:
            self.late[one.event] += 1
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
    kind = event.configuration.aggregate.kind
    amounts = {player: kind.fold(each) for player, each in counted.amounts.items()}
    races = {player: len(each) for player, each in counted.amounts.items()}
    connection.executemany(
        _RAISE if kind is Kind.MAX else _ADD,
        [(event.number, player, amount, races[player]) for player, amount in amounts.items()],
    )
    connection.execute(
        "UPDATE odometer_events SET total = ?, races = races + ?, change = ? WHERE number = ?",
        (
            kind.fold((event.total, *amounts.values())),
            sum(races.values()),
            counted.change,
            event.number,
        ),
    )


def amounts_text(amounts: Mapping[str, int]) -> str:
    """Return a race's amounts in the one form in which they are kept and compared."""
    return msgspec.json.encode(amounts, order="sorted").decode()
