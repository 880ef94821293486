"""Making totals and contributions from the lake again, while reads and deliveries go on."""

import sqlite3
from dataclasses import dataclass

from target_service.ledger.errors import translating
from target_service.ledger.store import Store
from target_service.odometer import event_rows, tables
from target_service.odometer.aggregate import Kind
from target_service.odometer.event import Event, State

_ADD = (
    "INSERT INTO temp.rebuilt (event, player, amount, highest, races)"
    " SELECT event, player, sum(amount), max(amount), count(*) FROM odometer_lake"
    " WHERE change > ? AND change <= ? AND outcome = 'counted' GROUP BY event, player"
    " ON CONFLICT (event, player) DO UPDATE SET amount = amount + excluded.amount,"
    " highest = max(highest, excluded.highest), races = races + excluded.races"
)
_TEMPORARY = (
    "CREATE TEMP TABLE rebuilt (event INTEGER, player TEXT, amount INTEGER, highest INTEGER,"
    " races INTEGER, PRIMARY KEY (event, player)) WITHOUT ROWID"
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """An event's numbers before and after; they differ only where something had gone wrong."""

    event_id: str
    total_before: int
    parts_before: int
    total: int
    final_total: int | None

    @property
    def drift(self) -> int:
        """How far total and contributions were from the lake."""
        return abs(self.total_before - self.total) + abs(self.parts_before - self.total)


def rebuild(store: Store) -> list[Rebuilt]:
    """Rebuild every event and say what was found; blocks.

    The lake is added up beforehand, without holding anybody up; only what has arrived meanwhile
    is added within the turn in which the numbers are replaced. Readers see the old ones until
    then. The end of a closed event is no part of it: it was read once, and stays.
    """
    tables.prepare(store)
    connection = store.connect()
    try:
        with translating(store.path):
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute(_TEMPORARY)
            seen = _last_change(connection)
            connection.execute(_ADD, (0, seen))
        with store.write(connection):
            connection.execute(_ADD, (seen, _last_change(connection)))
            return [_replace(connection, event) for event in event_rows.find_all(connection)]
    finally:
        connection.close()


def _last_change(connection: sqlite3.Connection) -> int:
    (last,) = connection.execute("SELECT coalesce(max(change), 0) FROM odometer_lake").fetchone()
    return int(last)


def _replace(connection: sqlite3.Connection, event: Event) -> Rebuilt:
    kind = event.configuration.aggregate.kind
    rows = connection.execute(
        "SELECT player, amount, highest, races FROM temp.rebuilt WHERE event = ?", (event.number,)
    ).fetchall()
    parts = {player: highest if kind is Kind.MAX else amount for player, amount, highest, _ in rows}
    before = connection.execute(
        "SELECT amount FROM odometer_contributions WHERE event = ?", (event.number,)
    ).fetchall()
    total = kind.fold(parts.values())
    connection.execute("DELETE FROM odometer_contributions WHERE event = ?", (event.number,))
    connection.executemany(
        "INSERT INTO odometer_contributions (event, player, amount, races) VALUES (?, ?, ?, ?)",
        [(event.number, player, parts[player], races) for player, _, _, races in rows],
    )
    connection.execute(
        "UPDATE odometer_events SET total = ?, races = ? WHERE number = ?",
        (total, sum(races for *_, races in rows), event.number),
    )
    return Rebuilt(
        event.id,
        event.total,
        kind.fold(amount for (amount,) in before),
        total,
        event.final.total if event.state is State.CLOSED and event.final else None,
    )
