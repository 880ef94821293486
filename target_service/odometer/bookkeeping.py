"""Single transactions of the background jobs, made in a thread on a connection of their own."""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from target_service.ledger.one_thread import OneThread
from target_service.ledger.store import Store

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
        with self._store.write(self._connection):
            return work(self._connection)
