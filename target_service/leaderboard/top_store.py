"""The published tops, the aggregator's lease and pause, and the newest top answered."""

import mmap
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from target_service.leaderboard.entries import GlobalEntry
from target_service.ledger.bounded_queue import OneThread
from target_service.ledger.errors import LedgerError
from target_service.ledger.leases import (
    Lease,
    acquire_lease,
    may_acquire_lease,
    paused_jobs,
    release_owned_lease,
    require_lease,
)
from target_service.ledger.store import Store
from target_service.timestamps import wall_clock_ms


class MadeTop(Struct, frozen=True):
    """The first entries of a season at the moment its earliest partition was read.

    The moment is in microseconds of the Redis server's clock: whoever put the top together, all
    moments are of one clock and can be compared. When that clock was set back, the moment stands
    still, a microsecond for each top, until the clock has come so far again: tops stay in order.

    `made_us` is the same moment in microseconds since this machine was started, which no clock
    that is set moves.
    """

    season: str
    as_of_us: int
    candidates: int
    recovering: bool
    entries: list[GlobalEntry]
    made_us: int = 0

    def following(self, before_us: int) -> "MadeTop":
        """Return this top as one that comes after the moment of another."""
        if self.as_of_us > before_us:
            return self
        return msgspec.structs.replace(self, as_of_us=before_us + 1)

    def age_seconds(self) -> float | None:
        """How old it is by the clock that says more; None when neither can tell.

        The one may have been set back since, the other begins anew with the machine.
        """
        by_clock_us = time.time_ns() // 1_000 - self.as_of_us
        oldest_us = max(by_clock_us, monotonic_us() - self.made_us) if self.made_us else by_clock_us
        return oldest_us / 1_000_000 if oldest_us >= 0 else None


def monotonic_us() -> int:
    """Return the microseconds since this machine was started, the same in all its processes."""
    return time.monotonic_ns() // 1_000


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(MadeTop).decode


_BYTES = 8


class Floor:
    """Moments that rise whenever a worker takes over a newer copy, before it answers from it.

    A worker whose copy is older asks for the newer one before it answers, so that no client sees
    `as_of` go back when its next request meets another worker. Where the file cannot be made,
    the worker keeps a floor of its own.
    """

    def __init__(self, path: Path | None, moments: int = 1) -> None:
        self._memory = _memory(path, moments * _BYTES)
        self._moments = memoryview(self._memory).cast("q")

    @property
    def as_of_us(self) -> int:
        """The moment below which nobody answers any more."""
        return self.at(0)

    def at(self, place: int) -> int:
        """Return one of the moments; an aligned word, read at once."""
        return self._moments[place]

    def rise(self, moment: int, place: int = 0) -> None:
        """Raise one to this moment, unless it is higher already.

        No lock, which a frozen worker could keep from all others: at worst two that take over
        different tops in the same microsecond leave the older one's moment until the next.
        """
        self._moments[place] = max(self._moments[place], moment)

    def put(self, moment: int, place: int) -> None:
        """Set one that no longer means anything."""
        self._moments[place] = moment

    def close(self) -> None:
        """Give back the memory."""
        self._moments.release()
        self._memory.close()


def _memory(path: Path | None, size: int) -> mmap.mmap:
    if path is None:
        return mmap.mmap(-1, size)
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return mmap.mmap(-1, size)
    try:
        # Only the first one makes it longer, and what is added is zero.
        if os.fstat(file).st_size < size:
            os.ftruncate(file, size)
        return mmap.mmap(file, size)
    finally:
        os.close(file)


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

    async def take_lease(self) -> Lease | None:
        """Take or keep the lease; None if another worker has it."""
        return await self._thread.run(self._take_lease)

    async def publish(self, lease: Lease, tops: Sequence[MadeTop]) -> None:
        """Leave the tops, each after the one that is there; raises LeaseLost without the lease."""
        await self._thread.run(lambda: self._publish(lease, tops))

    async def close(self) -> None:
        """Let the next one in and give back the file."""
        await self._thread.close(self._close)

    def _look(self, known_us: Mapping[str, int]) -> Look:
        known = msgspec.json.encode(known_us).decode()
        with self._store.read_transaction(self._connection):
            now_ms = wall_clock_ms()
            is_held = HOLD in paused_jobs(self._connection, now_ms)
            is_free = may_acquire_lease(
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

    def _take_lease(self) -> Lease | None:
        with (
            self._store.unsynced(self._connection),
            self._store.write_transaction(self._connection),
        ):
            self._connection.execute(_TABLE)
            now_ms = wall_clock_ms()
            return acquire_lease(self._connection, LEASE, self._owner, self._lease_ms, now_ms)

    def _publish(self, lease: Lease, tops: Sequence[MadeTop]) -> None:
        with (
            self._store.unsynced(self._connection),
            self._store.write_transaction(self._connection),
        ):
            require_lease(self._connection, lease)
            before: dict[str, int] = dict(self._connection.execute(_MOMENTS).fetchall())
            after = [top.following(before.get(top.season, 0)) for top in tops]
            rows = [(top.season, top.as_of_us, encode(top)) for top in after]
            self._connection.executemany(_PUBLISH, rows)

    def _close(self) -> None:
        with (
            suppress(LedgerError, sqlite3.Error),
            self._store.unsynced(self._connection),
            self._store.write_transaction(self._connection),
        ):
            release_owned_lease(self._connection, LEASE, self._owner)
        self._connection.close()
        self._store.process_lock.close()
