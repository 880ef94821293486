"""The database file: its tables, connections to it and transactions on it."""

import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from target_service.ledger.errors import LedgerReadOnly, LedgerUnusable, translating
from target_service.ledger.events import Sync
from target_service.ledger.process_lock import ProcessLock

APPLICATION_ID = 0x486F7442
SCHEMA_VERSION = 1

# `events` is the log: one row per applied event, in order of its change number. It is at once the
# record of event ids, the change log and the redo log of `players`.
# `events.sequence` is the event's own one, or minus the player's last one (0: none yet) when the
# event came without: a row then says what it was and what it led to.
# `players` holds every player's latest standing, except for changes after `state.folded_to`,
# which are read from `events`; the view `standings` puts both together, for any reader.
# `unprojected` holds disjoint ranges of change numbers.
_TABLES = """
CREATE TABLE boards (
    id INTEGER PRIMARY KEY, season TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (season, name)
);
CREATE TABLE events (
    change INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, player TEXT NOT NULL,
    board INTEGER NOT NULL, score INTEGER NOT NULL, old_score INTEGER,
    sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL
);
CREATE TABLE players (
    season TEXT NOT NULL, player TEXT NOT NULL, board INTEGER NOT NULL, score INTEGER NOT NULL,
    sequence INTEGER NOT NULL, change INTEGER NOT NULL, PRIMARY KEY (season, player)
) WITHOUT ROWID;
CREATE VIEW standings (season, board, player, score, sequence, change) AS
    SELECT season, name, player, score, sequence, max(change) FROM (
        SELECT board, player, score, sequence, change FROM players
        UNION ALL
        SELECT board, player, score, abs(sequence), change FROM events
        WHERE change > (SELECT folded_to FROM state)
    ) JOIN boards ON boards.id = board GROUP BY season, player;
CREATE TABLE unprojected (first INTEGER PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL,
    last_change INTEGER NOT NULL, folded_to INTEGER NOT NULL, trimmed_to INTEGER NOT NULL
);
CREATE TABLE leases (
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, token INTEGER NOT NULL, until_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE holds (name TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID;
"""
_CACHE_KIB = 32_768
_JOURNAL_BYTES_KEPT = 64 * 1024 * 1024


def is_empty(connection: sqlite3.Connection) -> bool:
    """Tell whether the file holds nothing at all yet."""
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return bool(objects == 0 and _pragma(connection, "user_version") == 0)


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables, inside the caller's transaction."""
    for statement in filter(str.strip, _TABLES.split(";")):
        connection.execute(statement)
    connection.execute("INSERT INTO state VALUES (1, ?, 0, 0, 0)", (uuid.uuid4().hex,))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that is no ledger, or one this version cannot read."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise LedgerUnusable(
            f"{path} is a database of something else, not a ledger; choose another file."
        )
    version = _pragma(connection, "user_version")
    if version != SCHEMA_VERSION:
        raise LedgerUnusable(
            f"{path} has schema version {version}, this service reads version {SCHEMA_VERSION}; "
            "use the version that wrote it, or choose another file."
        )
    if connection.execute("SELECT count(*) FROM state").fetchone() != (1,):
        raise LedgerUnusable(f"{path} has lost its state row; restore it from a copy.")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


class Store:
    """One ledger file, as one user of it in this process sees it.

    A part of the service that keeps its own tables in this file writes them in a
    `write_transaction`, which holds the process lock; a lease is checked inside that same block.
    """

    def __init__(self, path: Path, sync: Sync = "full", patience_seconds: float = 5.0) -> None:
        self.path = path
        self.process_lock = ProcessLock(path, patience_seconds)
        self._sync = sync
        self._patience_seconds = patience_seconds

    def prepare(self) -> None:
        """Make the file if there is none; refuse one that is not a ledger of this version."""
        folder = self.path.parent
        if not (os.access(folder, os.F_OK) and folder.is_dir()):
            raise LedgerUnusable(f"{folder} is not a directory; make it first.")
        try:
            with self.process_lock.held():
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
                check_schema(connection, self.path)
                self._configure(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def write_transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Run the block as one writing transaction, under the process lock."""
        with self.process_lock.held(), self.transaction(connection):
            yield

    @contextmanager
    def transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Run the block as one writing transaction; the caller holds the process lock."""
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
    def read_transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Run the block as one reading transaction: every read sees the same moment."""
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
            # In a read-only folder SQLite cannot share the file, but no process writes it.
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
                if is_empty(connection):
                    self._configure(connection)
                    with self.transaction(connection):
                        create_tables(connection)
                check_schema(connection, self.path)
            finally:
                connection.close()

    def _configure(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {self._sync}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        # The checkpointer copies the log back, so that no commit has to.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES_KEPT}")
