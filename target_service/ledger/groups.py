"""One group of submissions stored in one transaction."""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain

from target_service.ledger import ranges
from target_service.ledger.bulk import BulkInsert, json_list
from target_service.ledger.decisions import EVENT_COLUMNS, Draft, Payload, SeasonView, decide, given
from target_service.ledger.events import Batch, BatchOutcome, Board
from target_service.ledger.guard import Guard
from target_service.ledger.store import Store

_KNOWN = (
    "SELECT e.event_id, e.player, e.board, e.score, e.sequence"
    " FROM json_each(?) j CROSS JOIN events e ON e.event_id = j.value"
)


class GroupWriter:
    """Stores groups; memory follows only after the commit."""

    def __init__(self, store: Store, connection: sqlite3.Connection, guard: Guard) -> None:
        self._store = store
        self._connection = connection
        self._guard = guard
        self._boards: dict[Board, int] = {}
        self._insert = BulkInsert("INSERT INTO events", EVENT_COLUMNS)

    def write(self, batches: Sequence[Batch], at_ms: int) -> list[BatchOutcome]:
        """Store the batches in order, all in one commit, and say what became of each event."""
        with self._store.transaction(self._connection):
            self._guard.catch_up(self._connection)
            boards = self._board_numbers({batch.board for batch in batches})
            views = self._season_views(batches)
            draft = Draft(self._known(batches), self._guard.seen, at_ms)
            outcomes = [
                decide(batch, boards[batch.board], views[batch.board.season], draft)
                for batch in batches
            ]
            if draft.rows:
                self._insert.run(self._connection, draft.rows)
                ranges.add(self._connection, self._guard.seen + 1, draft.last_change)
                self._connection.execute("UPDATE state SET last_change = ?", (draft.last_change,))
        for season, view in views.items():
            self._guard.absorb(season, view.fresh, draft.last_change)
        return outcomes

    def _known(self, batches: Sequence[Batch]) -> dict[str, Payload | int]:
        """Look up which of the event ids are stored, and with what."""
        ids = list(chain.from_iterable(batch.event_ids for batch in batches))
        return {
            event_id: (player, board, score, given(sequence))
            for event_id, player, board, score, sequence in self._connection.execute(
                _KNOWN, (json_list(ids),)
            )
        }

    def _season_views(self, batches: Sequence[Batch]) -> dict[str, SeasonView]:
        players: dict[str, list[Sequence[str]]] = {}
        for batch in batches:
            players.setdefault(batch.board.season, []).append(batch.player_ids)
        return {
            season: SeasonView(
                self._guard.tail(season),
                self._guard.folded(self._connection, season, chain.from_iterable(columns)),
            )
            for season, columns in players.items()
        }

    def _board_numbers(self, boards: Iterable[Board]) -> dict[Board, int]:
        """Number the boards; a new board is remembered only once it is seen committed."""
        numbers: dict[Board, int] = {}
        for board in boards:
            if board in self._boards:
                numbers[board] = self._boards[board]
                continue
            key = (board.season, board.name)
            row = self._connection.execute(
                "SELECT id FROM boards WHERE season = ? AND name = ?", key
            ).fetchone()
            if row is None:
                row = self._connection.execute(
                    "INSERT INTO boards (season, name) VALUES (?, ?) RETURNING id", key
                ).fetchone()
            else:
                self._boards[board] = row[0]
            numbers[board] = row[0]
        return numbers
