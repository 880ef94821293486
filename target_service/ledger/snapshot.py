"""Every standing of a season at one moment, in pages."""

from collections.abc import Iterator
from itertools import islice
from types import TracebackType
from typing import Self

from target_service.ledger.errors import translating
from target_service.ledger.reads import board_names
from target_service.ledger.standings import Standing
from target_service.ledger.store import Store

_TAIL = (
    "SELECT player, board, score, abs(sequence), change FROM events"
    " WHERE change > (SELECT folded_to FROM state)"
    " AND board IN (SELECT id FROM boards WHERE season = ?) ORDER BY change"
)
_PLAYERS = (
    "SELECT player, board, score, sequence, change FROM players WHERE season = ? ORDER BY player"
)


class Snapshot:
    """An iterator of pages on a connection of its own; use it as a context manager.

    Everything in it is as of `change`, each player once, whatever is written meanwhile. It keeps
    the write-ahead log from being reused, so read it to its end and close it. Opening it and
    taking a page block: from a coroutine, use a thread for both.
    """

    def __init__(self, store: Store, season: str, page_size: int) -> None:
        self._store = store
        self._season = season
        self._page_size = page_size
        self.change = 0

    def __enter__(self) -> Self:
        self._connection = self._store.connect()
        try:
            with translating(self._store.path):
                self._connection.execute("BEGIN")
                self._begin()
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._rows.close()
        self._connection.close()

    def __iter__(self) -> Iterator[list[Standing]]:
        return self

    def __next__(self) -> list[Standing]:
        with translating(self._store.path):
            page = [self._standing(row) for row in self._next_rows()]
        if not page:
            raise StopIteration
        return page

    def _begin(self) -> None:
        (self.change,) = self._connection.execute("SELECT last_change FROM state").fetchone()
        self._names = board_names(self._connection)
        tail = self._connection.execute(_TAIL, (self._season,))
        self._unfolded = {row[0]: row for row in tail}
        self._left = iter(self._unfolded.values())
        self._rows = self._connection.execute(_PLAYERS, (self._season,))

    def _next_rows(self) -> list[tuple[str, int, int, int, int]]:
        """Folded rows first, leaving out those that have changed since, then the changed ones."""
        rows: list[tuple[str, int, int, int, int]] = []
        while len(rows) < self._page_size:
            more = self._rows.fetchmany(self._page_size - len(rows))
            if not more:
                break
            rows += [row for row in more if row[0] not in self._unfolded]
        missing = self._page_size - len(rows)
        return rows + list(islice(self._left, missing))

    def _standing(self, row: tuple[str, int, int, int, int]) -> Standing:
        player, board, score, sequence, change = row
        name = self._names[board][1]
        return Standing(self._season, name, player, score, sequence or None, change)
