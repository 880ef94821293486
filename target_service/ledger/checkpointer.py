"""Copying the write-ahead log back into the file while other threads write."""

import sqlite3
import threading
from contextlib import suppress

from target_service.ledger.errors import LedgerError
from target_service.ledger.store import Store

_INTERVAL_SECONDS = 0.25
_LONG_LOG_PAGES = 8_000


class Checkpointer:
    """One thread of each process that copies what any process has written, instead of the writers.

    A passive checkpoint blocks no writer. But the log only starts again once all of it has been
    copied, which never happens while processes write without a break. So the rest of a long log
    is copied under the process lock; by then it is short, and writers wait briefly.
    """

    def __init__(self, store: Store) -> None:
        """Open the file, which blocks; the store must be its own, for a fair process lock."""
        self._store = store
        self._connection = store.connect()
        self._closing = threading.Event()
        self._seen: int | None = None
        self._thread = threading.Thread(target=self._run, name="ledger-checkpointer", daemon=True)

    def start(self) -> None:
        """Begin to copy the log."""
        self._thread.start()

    def close(self) -> None:
        """Stop copying; blocks until the file is closed."""
        self._closing.set()
        self._thread.join()
        self._store.process_lock.close()

    def _run(self) -> None:
        try:
            while not self._closing.wait(_INTERVAL_SECONDS):
                # When it fails, the log stays and the next round tries again: nothing is lost.
                with suppress(sqlite3.Error, LedgerError):
                    self._checkpoint()
        finally:
            self._connection.close()

    def _checkpoint(self) -> None:
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if version == self._seen:
            return
        in_log, copied = checkpoint(self._connection)
        if in_log >= _LONG_LOG_PAGES:
            with self._store.process_lock.held():
                in_log, copied = checkpoint(self._connection)
        if 0 <= in_log == copied:
            self._seen = version


def checkpoint(connection: sqlite3.Connection) -> tuple[int, int]:
    """Copy what no reader still needs; return the pages in the log, and those copied by now.

    Both are -1 while another process copies.
    """
    _, in_log, copied = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return in_log, copied
