"""Drift: whether totals, contributions and the lake still say the same."""

import asyncio
import logging
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from target_service.ledger.errors import LedgerError
from target_service.ledger.questions import Questions
from target_service.odometer import event_rows
from target_service.odometer.aggregate import Kind
from target_service.odometer.projector import Projector
from target_service.odometer.series import OdometerSeries

logger = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
# The lake is read on in slices, so that no other question waits long.
SLICE_CHANGES = 20_000
_NEW = (
    "SELECT event, sum(amount), max(amount), count(*) FROM odometer_lake"
    " WHERE change > ? AND change <= ? AND outcome = 'counted' GROUP BY event"
)
_PARTS: Mapping[bool, str] = {
    False: "SELECT coalesce(sum(amount), 0) FROM odometer_contributions WHERE event = ?",
    True: "SELECT coalesce(max(amount), 0) FROM odometer_contributions WHERE event = ?",
}


@dataclass(slots=True)
class LakeSums:
    """What the lake adds up to, read on from change to change: each row is read once."""

    change: int = 0
    sums: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    def read_on(self, connection: sqlite3.Connection, at_most: int) -> bool:
        """Add the next rows; tell whether the end is reached."""
        (last,) = connection.execute(
            "SELECT coalesce(max(change), 0) FROM odometer_lake"
        ).fetchone()
        until = min(last, self.change + at_most)
        # All rows or none: what failed half-way is read again.
        rows = connection.execute(_NEW, (self.change, until)).fetchall()
        for event, added, largest, races in rows:
            total, high, count = self.sums.get(event, (0, 0, 0))
            self.sums[event] = (total + added, max(high, largest), count + races)
        self.change = until
        return bool(until == last)

    def of(self, event: int, kind: Kind) -> int:
        """Return what the lake says an event's total is."""
        total, high, races = self.sums.get(event, (0, 0, 0))
        return {Kind.SUM: total, Kind.MAX: high, Kind.COUNT: races}[kind]


def drift(connection: sqlite3.Connection, lake: LakeSums) -> int | None:
    """Return how far everything is from the lake, at one moment; None while the lake is read."""
    if not lake.read_on(connection, SLICE_CHANGES):
        return None
    found = 0
    for event in event_rows.find_all(connection):
        kind = event.configuration.aggregate.kind
        truth = lake.of(event.number, kind)
        (parts,) = connection.execute(_PARTS[kind is Kind.MAX], (event.number,)).fetchone()
        found += abs(event.total - truth) + abs(parts - truth)
    return found


class DriftWatch:
    """Measures the drift every few seconds, in the worker that also projects."""

    def __init__(self, questions: Questions, projector: Projector, series: OdometerSeries) -> None:
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
