"""Where accepted events go: the one seam of the write path."""

from typing import NamedTuple, Protocol

from target_service.leaderboard.boards import Board
from target_service.leaderboard.events import BatchStatus, ScoreColumns, ScoreEvent, Status
from target_service.leaderboard.store import Store
from target_service.metrics import Metrics


class WrittenBatch(NamedTuple):
    """Index and status of each event that did not apply, and whether the ranking has the others."""

    rest: list[tuple[int, BatchStatus]]
    is_projected: bool = True


class Writer(Protocol):
    """Takes valid events of known boards and says what became of them."""

    async def write(self, board: Board, player: str, event: ScoreEvent) -> Status:
        """Store one event of the player (whose id is normalised)."""

    async def write_many(
        self, board: Board, players: list[str], columns: ScoreColumns
    ) -> WrittenBatch:
        """Store a batch in order."""


class ProjectionWriter:
    """Writes straight to the ranking in Redis, without a ledger: every event applies."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._applied = metrics.service.writes.labels("applied").inc

    async def write(self, board: Board, player: str, event: ScoreEvent) -> Status:
        """Set the player's score."""
        command = self._store.commands[board.key].write(player, event.score)
        await self._store.pipeline.run((command,))
        self._applied()
        return "applied"

    async def write_many(
        self, board: Board, players: list[str], columns: ScoreColumns
    ) -> WrittenBatch:
        """Set the scores of all players at once."""
        command = self._store.commands[board.key].write_many(players, columns.score)
        await self._store.pipeline.run((command,))
        self._applied(len(players))
        return WrittenBatch([])
