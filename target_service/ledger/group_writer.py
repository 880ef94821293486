"""What becomes of each event of a group, and storing the group in one transaction."""

import sqlite3
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import TypeAlias, cast

from target_service.ledger.bulk import BulkInsert, Value, json_list
from target_service.ledger.compaction import add_range
from target_service.ledger.events import Batch, BatchOutcome, Board
from target_service.ledger.latest_standings import LatestStandings, StoredStanding
from target_service.ledger.store import Store

EVENT_COLUMNS = 8

# (player, board, score, sequence): what must be equal for a repeated id to be a duplicate.
Payload: TypeAlias = tuple[str, int, int, int | None]

_KNOWN = (
    "SELECT e.event_id, e.player, e.board, e.score, e.sequence"
    " FROM json_each(?) j CROSS JOIN events e ON e.event_id = j.value"
)


@dataclass(slots=True)
class SeasonView:
    """The standings of one season as a group sees them: its own first, then the older ones."""

    tail: Mapping[str, StoredStanding]
    compacted: Mapping[str, StoredStanding]
    fresh: dict[str, StoredStanding] = field(default_factory=dict)


@dataclass(slots=True)
class Draft:
    """What a group is about to store, and the event ids known to it.

    A known id leads to a stored payload, or to the place of its row in the draft.
    """

    known: MutableMapping[str, Payload | int]
    last_change: int
    at_ms: int
    rows: list[Value] = field(default_factory=list)

    def payload(self, known: Payload | int) -> Payload:
        """The payload a known id was first given with."""
        if not isinstance(known, int):
            return known
        _, _, player, board, score, _, sequence, _ = self.rows[known : known + EVENT_COLUMNS]
        return cast("Payload", (player, board, score, given(cast("int", sequence))))


def given(stored: int) -> int | None:
    """The sequence an event came with, from how it is stored."""
    return stored if stored > 0 else None


def decide(batch: Batch, board: int, view: SeasonView, draft: Draft) -> BatchOutcome:
    """Decide every event of a batch in order, and add the rows of those that apply to the draft.

    The id comes first, so that a repeat is a duplicate however old it is; then the home
    partition, which no later event can change; then the sequence.
    """
    fresh, tail, compacted = view.fresh, view.tail, view.compacted
    known, at_ms, first, change = draft.known, draft.at_ms, draft.last_change + 1, draft.last_change
    duplicate: list[int] = []
    conflict: list[int] = []
    other_partition: list[int] = []
    stale: list[int] = []
    rows, add_row = draft.rows, draft.rows.extend
    columns = (batch.event_ids, batch.player_ids, batch.scores, batch.sequences or repeat(None))
    for index, (event_id, player, score, sequence) in enumerate(zip(*columns, strict=False)):
        earlier = known.get(event_id)
        if earlier is not None:
            same = draft.payload(earlier) == (player, board, score, sequence)
            (duplicate if same else conflict).append(index)
            continue
        last, old_score = 0, None
        state = fresh.get(player) or tail.get(player) or compacted.get(player)
        if state is not None:
            home, old_score, last, _ = state
            if home != board:
                other_partition.append(index)
                continue
            if sequence is not None and sequence <= last:
                stale.append(index)
                continue
        change += 1
        stored = -last if sequence is None else sequence
        fresh[player] = (board, score, abs(stored), change)
        known[event_id] = len(rows)
        add_row((change, event_id, player, board, score, old_score, stored, at_ms))
    draft.last_change = change
    versions = range(first, change + 1)
    return BatchOutcome(versions, duplicate, conflict, other_partition, stale)


class GroupWriter:
    """Stores groups; memory follows only after the commit."""

    def __init__(
        self, store: Store, connection: sqlite3.Connection, latest_standings: LatestStandings
    ) -> None:
        self._store = store
        self._connection = connection
        self._latest_standings = latest_standings
        self._boards: dict[Board, int] = {}
        self._insert = BulkInsert("INSERT INTO events", EVENT_COLUMNS)

    def write_group(self, batches: Sequence[Batch], at_ms: int) -> list[BatchOutcome]:
        """Store the batches in order, all in one commit, and return what became of each event."""
        with self._store.transaction(self._connection):
            self._latest_standings.catch_up(self._connection)
            boards = self._board_numbers({batch.board for batch in batches})
            views = self._season_views(batches)
            draft = Draft(self._known(batches), self._latest_standings.seen, at_ms)
            outcomes = [
                decide(batch, boards[batch.board], views[batch.board.season], draft)
                for batch in batches
            ]
            if draft.rows:
                self._insert.run(self._connection, draft.rows)
                add_range(self._connection, self._latest_standings.seen + 1, draft.last_change)
                self._connection.execute("UPDATE state SET last_change = ?", (draft.last_change,))
        for season, view in views.items():
            self._latest_standings.absorb(season, view.fresh, draft.last_change)
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
                self._latest_standings.tail(season),
                self._latest_standings.compacted(
                    self._connection, season, chain.from_iterable(columns)
                ),
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
