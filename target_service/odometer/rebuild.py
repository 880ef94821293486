"""Drift between totals, contributions and the lake, and making them from the lake again."""

import asyncio
import logging
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from target_service.ledger.bounded_queue import ReadQueue
from target_service.ledger.errors import LedgerError, translating
from target_service.ledger.store import Store
from target_service.odometer import tables
from target_service.odometer import tables as event_rows
from target_service.odometer.event import Event, Kind, State
from target_service.odometer.projector import Projector
from target_service.odometer.series import OdometerSeries

logger = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
# The lake and the players are gone through in slices, so that no other question waits long.
SLICE_CHANGES = 20_000
SLICE_PLAYERS = 20_000

Part = tuple[int, int]
Player = TypeVar("Player")
_NOBODY = (0, "")

_NEW = (
    "SELECT outcome, event, player, sum(amount), max(amount), count(*) FROM odometer_lake"
    " WHERE change > ? AND change <= ? AND outcome IN ('counted', 'late')"
    " GROUP BY outcome, event, player"
)
_PARTS = (
    "CREATE TABLE parts (outcome TEXT, event INTEGER, player TEXT, amount INTEGER,"
    " highest INTEGER, races INTEGER, PRIMARY KEY (outcome, event, player)) WITHOUT ROWID"
)
_DRIFT_ADD = (
    "INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (outcome, event, player) DO UPDATE"
    " SET amount = amount + excluded.amount, highest = max(highest, excluded.highest),"
    " races = races + excluded.races"
)
_OF_LAKE = (
    "SELECT event, player, amount, highest, races FROM parts"
    " WHERE outcome = ? AND (event, player) > (?, ?)"
)


def distance(held: Part, truth: Part) -> int:
    """Return how far an amount and its races are from what they should be, in the larger one."""
    return max(abs(held[0] - truth[0]), abs(held[1] - truth[1]))


def parts_distance(held: Mapping[Player, Part], truth: Mapping[Player, Part]) -> int:
    """Return how far all players together are from what they should have, each by itself."""
    players = held.keys() | truth.keys()
    return sum(distance(held.get(one, (0, 0)), truth.get(one, (0, 0))) for one in players)


class LakeSums:
    """What the lake adds up to, read on from change to change: each row is read once.

    Sums per player are kept in memory, as a table: a few dozen bytes for each.
    """

    def __init__(self) -> None:
        self.change = 0
        self._sums: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._parts = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._parts.execute(_PARTS)
        self._to_compare = list(tables.PARTS)
        self._after: tuple[int, str] = _NOBODY
        self._found = 0

    def read_on(self, connection: sqlite3.Connection, at_most: int) -> bool:
        """Add the next rows; tell whether the end is reached."""
        (last,) = connection.execute(
            "SELECT coalesce(max(change), 0) FROM odometer_lake"
        ).fetchone()
        until = min(last, self.change + at_most)
        # All rows or none: what failed half-way is read again.
        rows = connection.execute(_NEW, (self.change, until)).fetchall()
        self._parts.executemany(_DRIFT_ADD, rows)
        for outcome, event, _, added, largest, races in rows:
            total, high, count = self._sums.get((outcome, event), (0, 0, 0))
            self._sums[outcome, event] = (total + added, max(high, largest), count + races)
        self.change = until
        return bool(until == last)

    def of(self, event: int, kind: Kind, outcome: str = "counted") -> Part:
        """Return what the lake says an event's total is, and of how many races."""
        total, high, races = self._sums.get((outcome, event), (0, 0, 0))
        return {Kind.SUM: total, Kind.MAX: high, Kind.COUNT: races}[kind], races

    def compare_on(
        self, connection: sqlite3.Connection, kinds: Mapping[int, Kind], at_most: int
    ) -> int | None:
        """Compare the next players; return the distance of all once each was compared."""
        while self._to_compare:
            outcome, event_and_player = self._to_compare[0], self._after
            held = connection.execute(
                f"SELECT event, player, amount, races FROM {tables.PARTS[outcome]}"  # noqa: S608 - ours
                " WHERE (event, player) > (?, ?) ORDER BY event, player LIMIT ?",
                (*event_and_player, at_most),
            ).fetchall()
            is_last = len(held) < at_most
            self._after = _NOBODY if is_last else held[-1][:2]
            until = None if is_last else self._after
            truth = self._of_lake(outcome, event_and_player, until, kinds)
            parts = {(event, player): (amount, races) for event, player, amount, races in held}
            self._found += parts_distance(parts, truth)
            if not is_last:
                return None
            del self._to_compare[0]
        found, self._found, self._to_compare = self._found, 0, list(tables.PARTS)
        return found

    def _of_lake(
        self,
        outcome: str,
        after: tuple[int, str],
        until: tuple[int, str] | None,
        kinds: Mapping[int, Kind],
    ) -> dict[tuple[int, str], Part]:
        asked, values = _OF_LAKE, [outcome, *after]
        if until is not None:
            asked, values = f"{_OF_LAKE} AND (event, player) <= (?, ?)", [*values, *until]
        return {
            (event, player): (high if kinds.get(event) is Kind.MAX else amount, races)
            for event, player, amount, high, races in self._parts.execute(asked, values)
        }


def drift(connection: sqlite3.Connection, lake: LakeSums) -> int | None:
    """Return how far everything is from the lake; None while it is still gone through.

    Each slice is compared at one moment, with all of the lake that was there then.
    """
    if not lake.read_on(connection, SLICE_CHANGES):
        return None
    events = event_rows.find_all(connection)
    kinds = {event.number: event.configuration.aggregate.kind for event in events}
    found = lake.compare_on(connection, kinds, SLICE_PLAYERS)
    if found is None:
        return None
    for event in events:
        kind = kinds[event.number]
        found += distance((event.total, event.races), lake.of(event.number, kind))
        late = lake.of(event.number, kind, "late")
        found += distance((event.late_amount, event.late), late)
    return found


class DriftWatch:
    """Measures the drift every few seconds, in the worker that also projects."""

    def __init__(self, questions: ReadQueue, projector: Projector, series: OdometerSeries) -> None:
        self._questions = questions
        self._projector = projector
        self._series = series
        self._lake = LakeSums()

    async def keep(self) -> None:
        """Measure for ever."""
        while True:
            pause_seconds = EVERY_SECONDS
            try:
                if self._projector.has_lease and not await self.look():
                    pause_seconds = 0.0
            except LedgerError:
                pass
            except Exception:
                logger.exception("Measuring the drift failed; it is measured again")
            await asyncio.sleep(pause_seconds)

    async def look(self) -> bool:
        """Measure, or read the lake a slice further; tell whether it was measured."""
        found = await self._questions.ask(lambda c: drift(c, self._lake))
        if found is None:
            return False
        if found:
            logger.error("The odometer is %d units from its lake; rebuild it", found)
        self._series.drift.set(found)
        return True


_REBUILD_ADD = (
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
            connection.execute(_REBUILD_ADD, (0, seen))
        with store.write_transaction(connection):
            connection.execute(_REBUILD_ADD, (seen, _last_change(connection)))
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
