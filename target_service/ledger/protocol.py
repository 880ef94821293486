"""What the service needs from a ledger, however it is stored."""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from target_service.ledger.events import (
    Batch,
    BatchOutcome,
    Board,
    Change,
    Event,
    LedgerFacts,
    Outcome,
    Standing,
    Unprojected,
)
from target_service.ledger.reads import CountedScores, ScoreMoves, ScoreMovesQuery


class SeasonSnapshot(Protocol):
    """Every standing of a season as of `change`, in pages; a context manager that blocks."""

    change: int

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def __iter__(self) -> Iterator[list[Standing]]: ...

    def __next__(self) -> list[Standing]: ...


class Ledger(Protocol):
    """The durable truth: an event it has acknowledged survives the death of every process."""

    def submit(self, event: Event) -> asyncio.Future[Outcome]:
        """Queue one event; the future is done after the commit, on the caller's loop.

        Raises LedgerBusy or LedgerClosed at once; the future raises LedgerUnwritable or
        LedgerBusy; then the outcome is unknown, and sending the event again shows it.
        """
        ...

    def submit_batch(self, batch: Batch) -> asyncio.Future[BatchOutcome]:
        """Queue a batch, stored whole or not at all; as cheap per event as the store allows."""
        ...

    def mark_projected(self, changes: Collection[int]) -> None:
        """Note, soon and without waiting, that these changes have reached the projection."""
        ...

    async def close(self) -> None:
        """Answer what is queued, refuse anything new, and leave the file compacted."""
        ...


class ProjectionSource(Protocol):
    """What a projector needs to bring a lost or late projection up to the ledger."""

    async def unprojected(
        self, limit: int, committed_before_ms: int, without: Collection[Board] = ()
    ) -> Sequence[Unprojected]:
        """The oldest changes not marked projected, at most `limit`, by board, `without` some."""
        ...

    def snapshot(self, season: str, page_size: int = 1_000) -> SeasonSnapshot:
        """Every standing of a season at one change number, in pages."""
        ...

    async def facts(self) -> LedgerFacts:
        """Change numbers, backlog, paused jobs and trouble, at this moment."""
        ...


class ScoreSource(Protocol):
    """What a follower needs that counts how many players have each score."""

    def counted_scores(
        self, season: str, boards: Sequence[str], page_scores: int = 10_000
    ) -> AbstractContextManager[CountedScores]:
        """How many players of the boards have each score, as of one change; blocks."""
        ...

    async def score_moves(self, query: ScoreMovesQuery) -> ScoreMoves:
        """How scores moved since a change, and players' standings; raises ChangesTrimmed."""
        ...


class ChangeSource(Protocol):
    """What a follower of the change log needs."""

    async def changes(self, after: int, limit: int) -> Sequence[Change]:
        """The changes after a number, in order; raises ChangesTrimmed when some are gone."""
        ...

    async def standings(self, season: str, player_ids: Sequence[str]) -> dict[str, Standing]:
        """The latest standing of each of these players who has one."""
        ...
