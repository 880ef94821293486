"""Moving changes from the log into the standings, a slice at a time."""

import sqlite3

from target_service.ledger import leases
from target_service.ledger.bulk import BulkInsert, Value
from target_service.ledger.errors import LeaseLost
from target_service.ledger.guard import Guard

_LEASE = "ledger-fold"
_LEASE_MS = 5_000
_PLAYER_COLUMNS = 6


class Fold:
    """Folds the guard's tail into `players` in the order of its key.

    A random row costs a page of 4 KiB in the write-ahead log; a sorted slice of many rows shares
    its pages. That is the whole point: the idea is a log-structured merge tree's, with one level.
    A round that is cut short leaves nothing wrong behind, since the log still holds everything
    after `state.folded_to`, and that only moves with the last slice. One process folds at a time.
    """

    def __init__(self, guard: Guard, owner: str, changes: int, interval_ms: int) -> None:
        self._guard = guard
        self._owner = owner
        self._changes = changes
        self._interval_ms = interval_ms
        self._insert = BulkInsert("REPLACE INTO players", _PLAYER_COLUMNS)
        self._season = ""
        self._players: list[str] = []
        self._seasons: list[str] = []
        self._slice: list[str] = []
        self._target = 0
        self._lease: leases.Lease | None = None
        self._folded_at_ms = 0
        self._folded_to = 0
        self._hasty = False

    @property
    def running(self) -> bool:
        """Whether a round has begun and not ended."""
        return self._lease is not None

    def due(self, now_ms: int) -> bool:
        """Tell whether there is something to fold now."""
        if self._guard.folded_to != self._folded_to:
            self._folded_to, self._folded_at_ms = self._guard.folded_to, now_ms
        unfolded = len(self._guard)
        # A clock that was set back has let time pass as well.
        late = self._hasty or not 0 <= now_ms - self._folded_at_ms < self._interval_ms
        return self.running or unfolded >= self._changes or (unfolded > 0 and late)

    def hasten(self) -> None:
        """Fold from now on whenever there is anything to fold."""
        self._hasty = True

    def step(self, connection: sqlite3.Connection, now_ms: int, rows: int) -> None:
        """Fold the next slice in the caller's transaction; the guard must have caught up."""
        if self._lease is None:
            self._lease = leases.acquire(connection, _LEASE, self._owner, _LEASE_MS, now_ms)
            if self._lease is None:
                return
            self._target = self._guard.seen
            self._seasons = self._guard.seasons()
            self._next_season()
        else:
            try:
                leases.renew(connection, self._lease, _LEASE_MS, now_ms)
            except LeaseLost:
                self.abandon()
                return
        self._slice = self._players[-rows:][::-1]
        season, tail = self._season, self._guard.tail(self._season)
        values: list[Value] = []
        for player in self._slice:
            values += (season, player, *tail[player])
        self._insert.run(connection, values)
        if len(self._slice) == len(self._players) and not self._seasons:
            connection.execute("UPDATE state SET folded_to = ?", (self._target,))
            leases.release(connection, self._lease)

    def committed(self) -> None:
        """Let memory follow the slice that is now on disk."""
        if self._lease is None:
            return
        self._guard.forget(self._season, self._slice)
        del self._players[len(self._players) - len(self._slice) :]
        self._slice = []
        if self._players:
            return
        if self._seasons:
            self._next_season()
        else:
            self._guard.folded_to = self._target
            self._lease = None

    def abandon(self) -> None:
        """End the round without a result; another one will begin again."""
        self._slice, self._lease = [], None

    def _next_season(self) -> None:
        """Sort the next season's players, last first: slices are taken from the end."""
        self._season = self._seasons.pop()
        self._players = sorted(self._guard.tail(self._season), reverse=True)
