"""The odometer's background jobs: single transactions, openings and closings."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from typing import TypeVar

from target_service.ledger.bounded_queue import OneThread, ReadQueue
from target_service.ledger.errors import LedgerError
from target_service.ledger.leases import acquire_lease, require_lease
from target_service.ledger.store import Store
from target_service.odometer import tables as event_rows
from target_service.odometer import window

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class Bookkeeping:
    """Runs one transaction at a time; opening it blocks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._connection = store.connect()
        self._thread = OneThread("odometer-bookkeeping")

    async def write(self, work: Work[T]) -> T:
        """Run the work as one transaction that is on disk when this returns."""
        return await self._thread.run(lambda: self._write(work))

    async def write_unsynced(self, work: Work[T]) -> T:
        """Run work that may be lost with the machine, such as the taking of a lease."""

        def unsynced() -> T:
            with self._store.unsynced(self._connection):
                return self._write(work)

        return await self._thread.run(unsynced)

    async def close(self) -> None:
        """Give back the connection."""
        await self._thread.close(self._connection.close)

    def _write(self, work: Work[T]) -> T:
        with self._store.write_transaction(self._connection):
            return work(self._connection)


logger = logging.getLogger(__name__)

LEASE = "event-scheduler"
LEASE_MS = 2_000
LOOK_SECONDS = 0.25
_SOONEST_SECONDS = 0.005


def next_due_ms(connection: sqlite3.Connection) -> int | None:
    """Return when the next step of any event is due; None when all have ended."""
    due = [
        step.due_ms
        for event in event_rows.unfinished(connection)
        if (step := window.next_step(event, window.closing_since_ms(connection, event)))
    ]
    return min(due, default=None)


def advance(connection: sqlite3.Connection, owner: str, now_ms: int) -> int:
    """Take every step that is due, within the caller's transaction; return how many.

    Whoever finds the lease with another takes none. A scheduler that was away takes the steps it
    missed one after the other, so that each is on record.
    """
    lease = acquire_lease(connection, LEASE, owner, LEASE_MS, now_ms)
    if lease is None:
        return 0
    taken = 0
    for event in event_rows.unfinished(connection):
        moving = event
        while step := window.next_step(moving, window.closing_since_ms(connection, moving)):
            if step.due_ms > now_ms:
                break
            window.take(connection, moving, step, now_ms, lease.token)
            moving = event_rows.numbered(connection, [event.number])[event.number]
            taken += 1
    require_lease(connection, lease)
    return taken


class Scheduler:
    """Looks for due steps, four times a second and at the very moment of the next one."""

    def __init__(
        self,
        questions: ReadQueue,
        bookkeeping: Bookkeeping,
        owner: str,
        now_ms: Callable[[], int],
    ) -> None:
        self._questions = questions
        self._bookkeeping = bookkeeping
        self._owner = owner
        self._now_ms = now_ms

    async def keep(self) -> None:
        """Look and step for ever; what fails is tried again."""
        while True:
            pause_seconds = LOOK_SECONDS
            try:
                pause_seconds = await self.look()
            except LedgerError:
                pass
            except Exception:
                logger.exception("The scheduler failed; it goes on")
            await asyncio.sleep(pause_seconds)

    async def look(self) -> float:
        """Take what is due; return the seconds until it is worth looking again."""
        due_ms = await self._questions.ask(next_due_ms)
        if due_ms is None:
            return LOOK_SECONDS
        left_seconds = (due_ms - self._now_ms()) / 1_000
        if left_seconds > 0:
            return min(LOOK_SECONDS, max(_SOONEST_SECONDS, left_seconds))
        await self._bookkeeping.write(lambda c: advance(c, self._owner, self._now_ms()))
        return LOOK_SECONDS / 10
