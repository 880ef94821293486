"""The published tops, the aggregator's lease and its hold, as rows in the ledger's file."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from target_service.global_top.made_top import MadeTop, decode, encode
from target_service.ledger import holds, leases
from target_service.ledger.errors import LedgerError
from target_service.ledger.one_thread import OneThread
from target_service.ledger.store import Store
from target_service.moments import wall_clock_ms

LEASE = "topk-aggregator"
HOLD = "aggregator"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS global_tops"
    " (season TEXT PRIMARY KEY, as_of_us INTEGER NOT NULL, top BLOB NOT NULL)"
)
_PUBLISH = (
    "INSERT INTO global_tops VALUES (?, ?, ?) ON CONFLICT (season) DO UPDATE"
    " SET as_of_us = excluded.as_of_us, top = excluded.top"
)
_MOMENTS = "SELECT season, as_of_us FROM global_tops"
_NEWER = (
    "SELECT t.top FROM json_each(?) j JOIN global_tops t"
    " ON t.season = j.key AND t.as_of_us > j.value"
)


@dataclass(frozen=True, slots=True)
class Look:
    """What the file says: tops newer than the copies, and whether this worker may make some."""

    newer: Sequence[MadeTop]
    may_lead: bool


class Book:
    """Where the one who puts the tops together leaves them, and all others find them.

    Nothing is synced: a top that is lost with the machine is put together again.
    """

    def __init__(self, store: Store, owner: str, lease_ms: int) -> None:
        self._store = store
        self._owner = owner
        self._lease_ms = lease_ms
        self._connection = store.connect()
        self._thread = OneThread("top-book")

    async def look(self, known_us: Mapping[str, int]) -> Look:
        """Return what is newer than these moments, and whether the lease is to be had."""
        return await self._thread.run(lambda: self._look(known_us))

    async def take_lease(self) -> leases.Lease | None:
        """Take or keep the lease; None if another worker has it."""
        return await self._thread.run(self._take_lease)

    async def publish(self, lease: leases.Lease, tops: Sequence[MadeTop]) -> None:
        """Leave the tops, each after the one that is there; raises LeaseLost without the lease."""
        await self._thread.run(lambda: self._publish(lease, tops))

    async def close(self) -> None:
        """Let the next one in and give back the file."""
        await self._thread.close(self._close)

    def _look(self, known_us: Mapping[str, int]) -> Look:
        known = msgspec.json.encode(known_us).decode()
        with self._store.reading(self._connection):
            now_ms = wall_clock_ms()
            is_held = HOLD in holds.held(self._connection, now_ms)
            is_free = leases.may_acquire(
                self._connection, LEASE, self._owner, self._lease_ms, now_ms
            )
            newer = []
            if self._is_prepared():
                newer = [decode(top) for (top,) in self._connection.execute(_NEWER, (known,))]
        return Look(newer, is_free and not is_held)

    def _is_prepared(self) -> bool:
        (tables,) = self._connection.execute(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'global_tops'"
        ).fetchone()
        return bool(tables)

    def _take_lease(self) -> leases.Lease | None:
        with self._store.unsynced(self._connection), self._store.write(self._connection):
            self._connection.execute(_TABLE)
            now_ms = wall_clock_ms()
            return leases.acquire(self._connection, LEASE, self._owner, self._lease_ms, now_ms)

    def _publish(self, lease: leases.Lease, tops: Sequence[MadeTop]) -> None:
        with self._store.unsynced(self._connection), self._store.write(self._connection):
            leases.require(self._connection, lease)
            before: dict[str, int] = dict(self._connection.execute(_MOMENTS).fetchall())
            after = [top.following(before.get(top.season, 0)) for top in tops]
            rows = [(top.season, top.as_of_us, encode(top)) for top in after]
            self._connection.executemany(_PUBLISH, rows)

    def _close(self) -> None:
        with (
            suppress(LedgerError, sqlite3.Error),
            self._store.unsynced(self._connection),
            self._store.write(self._connection),
        ):
            leases.release_owned(self._connection, LEASE, self._owner)
        self._connection.close()
        self._store.turns.close()
