"""Making totals and contributions from the lake again, while reads and deliveries go on."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from target_service.ledger.errors import translating
from target_service.ledger.store import Store
from target_service.odometer import event_rows, tables
from target_service.odometer.aggregate import Kind
from target_service.odometer.drift import Part, distance, parts_distance
from target_service.odometer.event import Event, State

_ADD = (
    "INSERT INTO temp.rebuilt (event, outcome, player, amount, highest, races)"
    " SELECT event, outcome, player, sum(amount), max(amount), count(*) FROM odometer_lake"
    " WHERE change > ? AND change <= ? AND outcome IN ('counted', 'late')"
    " GROUP BY event, outcome, player"
    " ON CONFLICT (event, outcome, player) DO UPDATE SET amount = amount + excluded.amount,"
    " highest = max(highest, excluded.highest), races = races + excluded.races"
)
_TEMPORARY = (
    "CREATE TEMP TABLE rebuilt (event INTEGER, outcome TEXT, player TEXT, amount INTEGER,"
    " highest INTEGER, races INTEGER, PRIMARY KEY (event, outcome, player)) WITHOUT ROWID"
)
_LATE_ELIGIBLE = (
    "SELECT count(*) FROM odometer_late_contributions l JOIN odometer_joins USING (event, player)"
    " WHERE event = :event AND NOT EXISTS (SELECT 1 FROM odometer_contributions c"
    "  WHERE c.event = :event AND c.player = l.player)"
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """An event's numbers before and after; they differ only where something had gone wrong.

    `drift` is how far the total, and each player's part, were from the lake.
    """

    event_id: str
    total_before: int
    parts_before: int
    total: int
    final_total: int | None
    drift: int


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
    before, after = {}, {}
    for outcome, table in tables.PARTS.items():
        before[outcome] = _held(connection, table, event)
        after[outcome] = _rebuilt(connection, outcome, event)
        _put_back(connection, table, event, after[outcome])
    total, races = _together(kind, after["counted"])
    late_amount, late = _together(kind, after["late"])
    (late_eligible,) = connection.execute(_LATE_ELIGIBLE, {"event": event.number}).fetchone()
    connection.execute(
        "UPDATE odometer_events SET total = ?, races = ?, late = ?, late_amount = ?,"
        " late_eligible = ? WHERE number = ?",
        (total, races, late, late_amount, late_eligible, event.number),
    )
    drift = distance((event.total, event.races), (total, races))
    drift += distance((event.late_amount, event.late), (late_amount, late))
    drift += sum(parts_distance(before[outcome], after[outcome]) for outcome in tables.PARTS)
    return Rebuilt(
        event.id,
        event.total,
        _together(kind, before["counted"])[0],
        total,
        event.final.total if event.state is State.CLOSED and event.final else None,
        drift,
    )


def _held(connection: sqlite3.Connection, table: str, event: Event) -> dict[str, Part]:
    rows = connection.execute(
        f"SELECT player, amount, races FROM {table} WHERE event = ?",  # noqa: S608 - ours
        (event.number,),
    )
    return {player: (amount, races) for player, amount, races in rows}


def _rebuilt(connection: sqlite3.Connection, outcome: str, event: Event) -> dict[str, Part]:
    column = "highest" if event.configuration.aggregate.kind is Kind.MAX else "amount"
    rows = connection.execute(
        f"SELECT player, {column}, races FROM temp.rebuilt"  # noqa: S608 - ours
        " WHERE event = ? AND outcome = ?",
        (event.number, outcome),
    )
    return {player: (amount, races) for player, amount, races in rows}


def _put_back(
    connection: sqlite3.Connection, table: str, event: Event, parts: Mapping[str, Part]
) -> None:
    connection.execute(f"DELETE FROM {table} WHERE event = ?", (event.number,))  # noqa: S608 - ours
    connection.executemany(
        f"INSERT INTO {table} (event, player, amount, races) VALUES (?, ?, ?, ?)",  # noqa: S608 - ours
        [(event.number, player, *part) for player, part in parts.items()],
    )


def _together(kind: Kind, parts: Mapping[str, Part]) -> Part:
    return kind.fold(amount for amount, _ in parts.values()), sum(n for _, n in parts.values())
