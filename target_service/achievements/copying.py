"""Copying the write-ahead log back beside the writers, so that none of them waits for it.

Whoever writes also copies the log within a turn now and then, and others wait as long. What has
been copied before, out of turn, is then done already: a passive checkpoint holds up nobody.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress

from target_service.ledger.errors import LedgerError
from target_service.ledger.one_thread import OneThread
from target_service.ledger.store import Store

_INTERVAL_SECONDS = 0.5


class CopyBack:
    """A job of each worker that copies twice a second while the worker writes."""

    def __init__(self, store: Store, orders: Callable[[], int]) -> None:
        """Take the file, and what tells how many orders were given so far."""
        self._store = store
        self._orders = orders

    async def keep(self) -> None:
        """Copy for ever; failing is no loss."""
        thread = OneThread("achievements-copying")
        connection = await thread.run(self._store.connect)
        copied = 0
        try:
            while True:
                await asyncio.sleep(_INTERVAL_SECONDS)
                given = self._orders()
                if given != copied:
                    await thread.run(lambda: copy_back(connection))
                    copied = given
        finally:
            await thread.close(connection.close)


def copy_back(connection: sqlite3.Connection) -> None:
    """Copy what can be copied without waiting for anybody."""
    with suppress(sqlite3.Error, LedgerError):
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
