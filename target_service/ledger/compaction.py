"""What the writer does between groups: marks, compaction and expiry."""

import sqlite3
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from itertools import takewhile

from target_service.ledger.bulk import BulkInsert, Value
from target_service.ledger.errors import LeaseLost
from target_service.ledger.events import LedgerOptions
from target_service.ledger.latest_standings import LatestStandings
from target_service.ledger.leases import Lease, acquire_lease, release_lease, renew_lease
from target_service.ledger.store import Store

Range = tuple[int, int]

_LEASE = "ledger-fold"
_LEASE_MS = 5_000
_PLAYER_COLUMNS = 6
_MARKS_AT_MOST = 100_000
_EXPIRY_CHECK_MS = 1_000


def add_range(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Note new changes, the latest there are, as not projected."""
    grown = connection.execute(
        "UPDATE unprojected SET last = ?"
        " WHERE first = (SELECT max(first) FROM unprojected) AND last = ?",
        (last, first - 1),
    )
    if not grown.rowcount:
        connection.execute("INSERT INTO unprojected VALUES (?, ?)", (first, last))


def subtract_range(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Note changes as projected; saying so twice, or from two places, changes nothing."""
    overlapping = connection.execute(
        "SELECT first, last FROM unprojected WHERE first <= ? AND last >= ?"
        " AND first >= (SELECT coalesce(max(first), 0) FROM unprojected WHERE first <= ?)",
        (last, first, first),
    ).fetchall()
    for start, stop in overlapping:
        connection.execute("DELETE FROM unprojected WHERE first = ?", (start,))
        if start < first:
            connection.execute("INSERT INTO unprojected VALUES (?, ?)", (start, first - 1))
        if stop > last:
            connection.execute("INSERT INTO unprojected VALUES (?, ?)", (last + 1, stop))


def runs_of(changes: Collection[int]) -> Iterator[Range]:
    """Split change numbers into ranges without gaps."""
    if isinstance(changes, range) and changes.step == 1:
        if changes:
            yield changes.start, changes.stop - 1
        return
    yield from merged((change, change) for change in changes)


def merged(runs: Iterable[Range]) -> Iterator[Range]:
    """Join ranges that touch or overlap."""
    current: Range | None = None
    for first, last in sorted(runs):
        if current is None:
            current = (first, last)
        elif first <= current[1] + 1:
            current = (current[0], max(current[1], last))
        else:
            yield current
            current = (first, last)
    if current is not None:
        yield current


class Compaction:
    """Moves the standings changed since the last compaction into `players`, in order of its key.

    A random row costs a page of 4 KiB in the write-ahead log; a sorted slice of many rows shares
    its pages. That is the whole point: the idea is a log-structured merge tree's, with one level.
    A round that is cut short leaves nothing wrong behind, since the log still holds everything
    after `state.folded_to`, which moves with the last slice only. One process compacts at a time.
    """

    def __init__(
        self, latest_standings: LatestStandings, owner: str, changes: int, interval_ms: int
    ) -> None:
        self._latest_standings = latest_standings
        self._owner = owner
        self._changes = changes
        self._interval_ms = interval_ms
        self._insert = BulkInsert("REPLACE INTO players", _PLAYER_COLUMNS)
        self._season = ""
        self._players: list[str] = []
        self._seasons: list[str] = []
        self._slice: list[str] = []
        self._target = 0
        self._lease: Lease | None = None
        self._compacted_at_ms = 0
        self._compacted_to = 0
        self._hasty = False

    @property
    def running(self) -> bool:
        """Whether a round has begun and not ended."""
        return self._lease is not None

    def due(self, now_ms: int) -> bool:
        """Tell whether a compaction is due or running."""
        if self._latest_standings.folded_to != self._compacted_to:
            self._compacted_to, self._compacted_at_ms = self._latest_standings.folded_to, now_ms
        tail_players = len(self._latest_standings)
        # When the clock was set back, time has passed as well.
        late = self._hasty or not 0 <= now_ms - self._compacted_at_ms < self._interval_ms
        return self.running or tail_players >= self._changes or (tail_players > 0 and late)

    def hasten(self) -> None:
        """Compact from now on whenever there is anything to move."""
        self._hasty = True

    def step(self, connection: sqlite3.Connection, now_ms: int, rows: int) -> None:
        """Move the next slice in the caller's transaction; the standings must have caught up."""
        if self._lease is None:
            self._lease = acquire_lease(connection, _LEASE, self._owner, _LEASE_MS, now_ms)
            if self._lease is None:
                return
            self._target = self._latest_standings.seen
            self._seasons = self._latest_standings.seasons()
            self._next_season()
        else:
            try:
                renew_lease(connection, self._lease, _LEASE_MS, now_ms)
            except LeaseLost:
                self.abandon()
                return
        self._slice = self._players[-rows:][::-1]
        season, tail = self._season, self._latest_standings.tail(self._season)
        values: list[Value] = []
        for player in self._slice:
            values += (season, player, *tail[player])
        self._insert.run(connection, values)
        if len(self._slice) == len(self._players) and not self._seasons:
            connection.execute("UPDATE state SET folded_to = ?", (self._target,))
            release_lease(connection, self._lease)

    def committed(self) -> None:
        """Let memory follow the slice that is now on disk."""
        if self._lease is None:
            return
        self._latest_standings.forget(self._season, self._slice)
        del self._players[len(self._players) - len(self._slice) :]
        self._slice = []
        if self._players:
            return
        if self._seasons:
            self._next_season()
        else:
            self._latest_standings.folded_to = self._target
            self._lease = None

    def abandon(self) -> None:
        """End the round without a result; another one will begin again."""
        self._slice, self._lease = [], None

    def _next_season(self) -> None:
        """Sort the next season's players, last first: slices are taken from the end."""
        self._season = self._seasons.pop()
        self._players = sorted(self._latest_standings.tail(self._season), reverse=True)


class Upkeep:
    """Bounded work after each group, in a transaction of its own that no caller waits for.

    It is not synced: the next group's sync covers it, and losing it costs repetition only.
    """

    def __init__(
        self,
        store: Store,
        latest_standings: LatestStandings,
        compaction: Compaction,
        options: LedgerOptions,
    ) -> None:
        self._store = store
        self._latest_standings = latest_standings
        self._compaction = compaction
        self._kept_ms = int(options.kept_seconds * 1_000)
        self._rows = options.upkeep_rows
        self._expiry_checked_ms = 0
        # A mark that falls out is safe: its change stays unprojected and is projected again.
        self._marks: deque[Range] = deque(maxlen=_MARKS_AT_MOST)

    def mark(self, changes: Collection[int]) -> None:
        """Remember changes as projected until the next upkeep; safe from any thread."""
        self._marks.extend(runs_of(changes))

    def due(self, now_ms: int) -> bool:
        """Tell whether there is anything to do."""
        return bool(self._marks) or self._is_expiry_due(now_ms) or self._compaction.due(now_ms)

    @property
    def urgent(self) -> bool:
        """Whether a compaction is running that should not wait for the next group."""
        return self._compaction.running

    def run(self, connection: sqlite3.Connection, now_ms: int, events: int) -> None:
        """Do a bounded part of what is due, under the process lock that the caller holds."""
        if not self.due(now_ms):
            return
        marks = [self._marks.popleft() for _ in range(len(self._marks))]
        rows = max(self._rows, events)
        try:
            with self._store.unsynced(connection), self._store.transaction(connection):
                self._latest_standings.catch_up(connection)
                for first, last in merged(marks):
                    subtract_range(connection, first, last)
                if self._compaction.due(now_ms):
                    self._compaction.step(connection, now_ms, rows)
                self._expire(connection, now_ms, rows)
        except BaseException:
            self._compaction.abandon()
            self._marks.extendleft(reversed(marks))
            raise
        self._compaction.committed()

    def finish(self, connection: sqlite3.Connection, now_ms: int) -> None:
        """Compact and mark everything, before the file is closed."""
        while self._marks or len(self._latest_standings):
            before = len(self._latest_standings)
            self._compaction.hasten()
            self.run(connection, now_ms, 0)
            if len(self._latest_standings) >= before and not self._compaction.running:
                return

    def _is_expiry_due(self, now_ms: int) -> bool:
        """Tell whether the last look was some time ago, or by a clock that was set back since."""
        return not 0 <= now_ms - self._expiry_checked_ms < _EXPIRY_CHECK_MS

    def _expire(self, connection: sqlite3.Connection, now_ms: int, rows: int) -> None:
        """Delete the oldest events past their time, but none that is still needed."""
        if not self._is_expiry_due(now_ms):
            return
        (needed_from,) = connection.execute(
            "SELECT min(folded_to + 1, coalesce(first, folded_to + 1))"
            " FROM state, (SELECT min(first) AS first FROM unprojected)"
        ).fetchone()
        oldest = connection.execute(
            "SELECT change, at_ms FROM events WHERE change < ? ORDER BY change LIMIT ?",
            (needed_from, rows),
        )
        cutoff_ms = now_ms - self._kept_ms
        expired = list(takewhile(lambda row: row[1] < cutoff_ms, oldest))
        if len(expired) < rows:
            self._expiry_checked_ms = now_ms
        if expired:
            last, _ = expired[-1]
            connection.execute("DELETE FROM events WHERE change <= ?", (last,))
            connection.execute("UPDATE state SET trimmed_to = ?", (last,))
