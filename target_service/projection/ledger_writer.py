"""The write path with a ledger: the truth first, the ranking after it."""

from itertools import chain

from target_service.http.problems import EventConflict, OtherPartition
from target_service.leaderboard.boards import Board
from target_service.leaderboard.key_commands import Store
from target_service.leaderboard.scores import (
    BatchStatus,
    ScoreColumns,
    ScoreEvent,
    Status,
    WrittenBatch,
)
from target_service.ledger import events
from target_service.ledger.events import Batch, Event
from target_service.ledger.protocol import Ledger
from target_service.metrics import Metrics
from target_service.projection.projection import Projection

_STATUSES: tuple[Status | BatchStatus, ...] = (
    "applied",
    "durable-only",
    "duplicate",
    "stale",
    "conflict",
)


class LedgerWriter:
    """Stores events in the ledger, then writes those that applied to their board.

    The time that a request has for Redis starts at the commit, however long the commit took. An
    event that has not reached its board by then is durable only, and the projector writes it.
    """

    def __init__(
        self, store: Store, ledger: Ledger, projection: Projection, metrics: Metrics
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._projection = projection
        self._count = {name: metrics.service.writes.labels(name).inc for name in _STATUSES}

    async def write(self, board: Board, event: ScoreEvent) -> Status:
        """Store one event; raises EventConflict or OtherPartition."""
        event_id, player = event.event_id, event.player_id
        home = events.Board(board.season, board.partition)
        sequence = event.sequence or None
        outcome = await self._ledger.submit(Event(event_id, player, home, event.score, sequence))
        status: Status = "applied"
        match outcome.status:
            case events.Status.CONFLICT:
                self._count["conflict"]()
                raise EventConflict(f"Event {event_id} was sent before with other contents.")
            case events.Status.OTHER_PARTITION:
                self._count["conflict"]()
                raise OtherPartition(
                    f"Player {player} has scores on another partition of season {board.season}."
                )
            case events.Status.DUPLICATE:
                status = "duplicate"
            case events.Status.STALE:
                status = "stale"
        if outcome.version is not None and not await self._projection.write_score(
            board.key, player, event.score, outcome.version, self._store.deadline()
        ):
            status = "durable-only"
        self._count[status]()
        return status

    async def write_many(self, board: Board, columns: ScoreColumns) -> WrittenBatch:
        """Store a batch; the scores of all events that applied are set at once."""
        players = columns.player_id
        home = events.Board(board.season, board.partition)
        outcome = await self._ledger.submit_batch(
            Batch(home, columns.event_id, players, columns.score, columns.sequence or None)
        )
        conflicts = sorted(chain(outcome.conflict, outcome.other_partition))
        rest: list[tuple[int, BatchStatus]] = [
            *((index, "duplicate") for index in outcome.duplicate),
            *((index, "stale") for index in outcome.stale),
            *((index, "conflict") for index in conflicts),
        ]
        is_projected = True
        if outcome.versions:
            applied = outcome.applied()
            is_projected = await self._projection.write_scores(
                board.key,
                [players[index] for index in applied],
                [columns.score[index] for index in applied],
                outcome.versions,
                self._store.deadline(),
            )
        self._count["applied" if is_projected else "durable-only"](len(outcome.versions))
        self._count["duplicate"](len(outcome.duplicate))
        self._count["stale"](len(outcome.stale))
        self._count["conflict"](len(conflicts))
        return WrittenBatch(rest, is_projected)
