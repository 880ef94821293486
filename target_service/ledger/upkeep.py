"""What the writer does between groups: marks, folds and expiry."""

import sqlite3
from collections import deque
from collections.abc import Collection
from itertools import takewhile

from target_service.ledger import ranges
from target_service.ledger.folds import Fold
from target_service.ledger.guard import Guard
from target_service.ledger.options import LedgerOptions
from target_service.ledger.store import Store

_MARKS_AT_MOST = 100_000
_EXPIRY_CHECK_MS = 1_000


class Upkeep:
    """Bounded work after each group, in a transaction of its own that nobody waits for.

    It is not synced: the next group's sync covers it, and losing it costs repetition only.
    """

    def __init__(self, store: Store, guard: Guard, fold: Fold, options: LedgerOptions) -> None:
        self._store = store
        self._guard = guard
        self._fold = fold
        self._kept_ms = int(options.kept_seconds * 1_000)
        self._rows = options.upkeep_rows
        self._expiry_checked_ms = 0
        # A mark that falls out is safe: its change stays unprojected and is projected again.
        self._marks: deque[ranges.Range] = deque(maxlen=_MARKS_AT_MOST)

    def mark(self, changes: Collection[int]) -> None:
        """Remember changes as projected until the next upkeep; safe from any thread."""
        self._marks.extend(ranges.runs_of(changes))

    def due(self, now_ms: int) -> bool:
        """Tell whether there is anything to do."""
        return bool(self._marks) or self._is_expiry_due(now_ms) or self._fold.due(now_ms)

    @property
    def urgent(self) -> bool:
        """Whether a fold is under way that should not wait for the next group."""
        return self._fold.running

    def run(self, connection: sqlite3.Connection, now_ms: int, events: int) -> None:
        """Do a bounded part of what is due, within a turn the caller has taken."""
        if not self.due(now_ms):
            return
        marks = [self._marks.popleft() for _ in range(len(self._marks))]
        rows = max(self._rows, events)
        try:
            with self._store.unsynced(connection), self._store.transaction(connection):
                self._guard.catch_up(connection)
                for first, last in ranges.merged(marks):
                    ranges.subtract(connection, first, last)
                if self._fold.due(now_ms):
                    self._fold.step(connection, now_ms, rows)
                self._expire(connection, now_ms, rows)
        except BaseException:
            self._fold.abandon()
            self._marks.extendleft(reversed(marks))
            raise
        self._fold.committed()

    def finish(self, connection: sqlite3.Connection, now_ms: int) -> None:
        """Fold and mark all there is, before the file is closed."""
        while self._marks or len(self._guard):
            before = len(self._guard)
            self._fold.hasten()
            self.run(connection, now_ms, 0)
            if len(self._guard) >= before and not self._fold.running:
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
