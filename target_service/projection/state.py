"""The projection's rows in the ledger's file: each board's epoch and progress."""

import sqlite3
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

from target_service.ledger.bounded_queue import OneThread
from target_service.ledger.bulk import json_list
from target_service.ledger.errors import LedgerError, translating
from target_service.ledger.leases import Lease, acquire_lease, release_owned_lease, require_lease
from target_service.ledger.store import Store
from target_service.timestamps import wall_clock_ms

LEASE = "projector"
LEASE_MS = 2_000
_TABLE = (
    "CREATE TABLE IF NOT EXISTS projections"
    " (key TEXT PRIMARY KEY, epoch TEXT NOT NULL, writes INTEGER NOT NULL) WITHOUT ROWID"
)


@dataclass(frozen=True, slots=True)
class Progress:
    """A board key's epoch, and the members written to it in that epoch as far as is known."""

    epoch: str
    writes: int


class ProjectionState:
    """One row per board key; a change is marked projected only after its board's row is written.

    So this table can prove or refute whatever the ledger believes to be in Redis.
    """

    def __init__(self, store: Store, owner: str, keys: Collection[str]) -> None:
        self._store = store
        self._owner = owner
        self._keys = keys
        self._connection = store.connect()
        self._thread = OneThread("projection-state")
        self._is_prepared = False
        # When nothing can be written now, reads still work.
        with suppress(LedgerError):
            self._prepare()

    async def read_progress(self) -> dict[str, Progress]:
        """Return every board key's row."""
        return await self._thread.run(self._read_progress)

    async def advance(self, progress: Mapping[str, Progress]) -> frozenset[str]:
        """Raise the rows to this progress; return the keys whose row is of the same epoch."""
        return await self._thread.run(lambda: self._advance(progress))

    async def take_lease(self) -> Lease | None:
        """Take or keep the lease to replay and rebuild for two seconds; None if another has it."""
        return await self._thread.run(self._take_lease)

    async def begin(self, lease: Lease, progress: Mapping[str, Progress]) -> None:
        """Start new epochs; raises LeaseLost when the lease is gone."""
        await self._thread.run(lambda: self._begin(lease, progress))

    async def close(self) -> None:
        """Let the next one in and give back the file."""
        await self._thread.close(self._close)

    def _prepare(self) -> None:
        """Make the table; drop keys that are not served now, since they miss all new writes."""
        if self._is_prepared:
            return
        with self._store.write_transaction(self._connection):
            self._connection.execute(_TABLE)
            self._connection.execute(
                "DELETE FROM projections WHERE key NOT IN (SELECT value FROM json_each(?))",
                (json_list(list(self._keys)),),
            )
        self._is_prepared = True

    def _read_progress(self) -> dict[str, Progress]:
        with translating(self._store.path):
            rows = self._connection.execute(
                "SELECT name FROM sqlite_schema WHERE name = 'projections'"
            ).fetchall()
            if not rows:
                return {}
            rows = self._connection.execute("SELECT key, epoch, writes FROM projections").fetchall()
        return {key: Progress(epoch, writes) for key, epoch, writes in rows}

    def _advance(self, progress: Mapping[str, Progress]) -> frozenset[str]:
        self._prepare()
        known = self._read_progress()
        fitting = frozenset(
            key for key, one in progress.items() if key in known and known[key].epoch == one.epoch
        )
        # Losing this with the machine loses the marks that follow it too, so no sync is needed.
        with (
            self._store.unsynced(self._connection),
            self._store.write_transaction(self._connection),
        ):
            advanced = {
                key
                for key in fitting
                if self._connection.execute(
                    "UPDATE projections SET writes = max(writes, ?) WHERE key = ? AND epoch = ?",
                    (progress[key].writes, key, progress[key].epoch),
                ).rowcount
            }
        return frozenset(advanced)

    def _take_lease(self) -> Lease | None:
        self._prepare()
        with (
            self._store.unsynced(self._connection),
            self._store.write_transaction(self._connection),
        ):
            now_ms = wall_clock_ms()
            return acquire_lease(self._connection, LEASE, self._owner, LEASE_MS, now_ms)

    def _begin(self, lease: Lease, progress: Mapping[str, Progress]) -> None:
        with self._store.write_transaction(self._connection):
            require_lease(self._connection, lease)
            self._connection.executemany(
                "REPLACE INTO projections VALUES (?, ?, ?)",
                [(key, one.epoch, one.writes) for key, one in progress.items()],
            )

    def _close(self) -> None:
        with (
            suppress(LedgerError, sqlite3.Error),
            self._store.unsynced(self._connection),
            self._store.write_transaction(self._connection),
        ):
            release_owned_lease(self._connection, LEASE, self._owner)
        self._connection.close()
        self._store.process_lock.close()
