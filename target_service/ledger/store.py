"""The database file: connections to it and transactions on it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from target_service.ledger import schema
from target_service.ledger.errors import LedgerReadOnly, LedgerUnusable, translating
from target_service.ledger.options import Sync
from target_service.ledger.turns import Turns

_CACHE_KIB = 32_768
_JOURNAL_BYTES_KEPT = 64 * 1024 * 1024


class Store:
    """One ledger file, as one user of it in this process sees it.

    Whatever keeps its own tables beside the ledger's writes through `write`, so that it takes
    its turn like everybody else; a lease is checked inside that same block.
    """

    def __init__(self, path: Path, sync: Sync = "full", patience_seconds: float = 5.0) -> None:
        self.path = path
        self.turns = Turns(path, patience_seconds)
        self._sync = sync
        self._patience_seconds = patience_seconds

    def prepare(self) -> None:
        """Make the file if there is none; refuse one that is not a ledger of this version."""
        folder = self.path.parent
        if not (os.access(folder, os.F_OK) and folder.is_dir()):
            raise LedgerUnusable(f"{folder} is not a directory; make it first.")
        try:
            with self.turns.taken():
                self._create_or_check()
        except LedgerReadOnly:
            if not self.path.exists():
                raise
            self.connect().close()

    def connect(self) -> sqlite3.Connection:
        """Open a connection, to be used by one thread at a time and closed by the caller."""
        with translating(self.path):
            connection = self._open()
            try:
                schema.check(connection, self.path)
                self._configure(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def write(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Take a turn and run the block as one transaction."""
        with self.turns.taken(), self.transaction(connection):
            yield

    @contextmanager
    def transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Run the block as one writing transaction, within a turn the caller has taken."""
        with translating(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.rollback()
                raise

    @contextmanager
    def reading(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Let every read in the block see the same moment."""
        with translating(self.path):
            connection.execute("BEGIN")
            try:
                yield
            finally:
                if connection.in_transaction:
                    connection.rollback()

    @contextmanager
    def unsynced(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Commit without a sync inside the block; the next synced commit covers it."""
        connection.execute("PRAGMA synchronous = NORMAL")
        try:
            yield
        finally:
            connection.execute(f"PRAGMA synchronous = {self._sync}")

    def _open(self) -> sqlite3.Connection:
        # Whole, since SQLite takes `:memory:` and `file:…` for something else than names of files.
        connection = self._connected(str(self.path.absolute()))
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        except sqlite3.Error as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY or self._is_in_use():
                raise
            # Where nothing may be written SQLite cannot even share the file, but nobody writes it.
            return self._connected(f"{self.path.absolute().as_uri()}?mode=ro&immutable=1")
        return connection

    def _connected(self, name: str) -> sqlite3.Connection:
        return sqlite3.connect(
            name,
            timeout=self._patience_seconds,
            isolation_level=None,
            check_same_thread=False,
            uri=name.startswith("file:"),
        )

    def _is_in_use(self) -> bool:
        """A file that is open somewhere, or was not closed, has its log beside it."""
        return self.path.with_name(f"{self.path.name}-wal").exists()

    def _create_or_check(self) -> None:
        with translating(self.path):
            connection = self._open()
            try:
                if schema.is_empty(connection):
                    self._configure(connection)
                    with self.transaction(connection):
                        schema.create(connection)
                schema.check(connection, self.path)
            finally:
                connection.close()

    def _configure(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {self._sync}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        # The writer copies the log back itself, between groups and within its turn.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES_KEPT}")
