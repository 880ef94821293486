"""The ledger in one SQLite file."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar, cast

from target_service.ledger import reads
from target_service.ledger.checkpointer import Checkpointer
from target_service.ledger.events import (
    Batch,
    BatchOutcome,
    Board,
    Change,
    Event,
    LedgerFacts,
    LedgerOptions,
    Outcome,
    Standing,
    Unprojected,
)
from target_service.ledger.protocol import ChangeSource, Ledger, ProjectionSource, ScoreSource
from target_service.ledger.reads import (
    CountedScores,
    ScoreMoves,
    ScoreMovesQuery,
    Snapshot,
)
from target_service.ledger.store import Store
from target_service.ledger.write_queue import Read, Submission, WriteQueue
from target_service.ledger.writer import CommitObserver, Writer
from target_service.timestamps import wall_clock_ms

T = TypeVar("T")


def _unobserved(_seconds: float, _events: int) -> None:
    """Note nothing."""


class SqliteLedger(Ledger, ProjectionSource, ChangeSource, ScoreSource):
    """The truth in one file that several processes may share.

    Making one blocks until the file is checked and its tail is read; everything else is for
    event loops.

    Args:
        on_commit: called by the writer thread with the seconds a group took to be stored and the
            events that applied.
    """

    def __init__(
        self,
        path: Path,
        options: LedgerOptions | None = None,
        now_ms: Callable[[], int] = wall_clock_ms,
        on_commit: CommitObserver = _unobserved,
    ) -> None:
        options = options or LedgerOptions()
        self._store = Store(path, options.sync, options.patience_seconds)
        self._store.prepare()
        self._now_ms = now_ms
        self._write_queue = WriteQueue(options.queue_events, options.group_events)
        self._writer = Writer(self._store, self._write_queue, options, now_ms, on_commit)
        self._checkpointer = Checkpointer(Store(path, options.sync, options.patience_seconds))
        self._writer.start()
        self._checkpointer.start()

    def submit(self, event: Event) -> asyncio.Future[Outcome]:
        """Queue one event; the future is done after the commit, on the caller's loop."""
        sequences = None if event.sequence is None else (event.sequence,)
        batch = Batch(event.board, (event.event_id,), (event.player_id,), (event.score,), sequences)
        submission = Submission(batch, single=True)
        self._write_queue.put(submission)
        return submission.promise.future

    def submit_batch(self, batch: Batch) -> asyncio.Future[BatchOutcome]:
        """Queue a batch, stored whole or not at all."""
        submission = Submission(batch, single=False)
        self._write_queue.put(submission)
        return submission.promise.future

    def mark_projected(self, changes: Collection[int]) -> None:
        """Note, soon and without waiting, that these changes have reached the projection."""
        self._writer.upkeep.mark(changes)

    async def close(self) -> None:
        """Answer what is queued, refuse anything new, and leave the file compacted."""
        self._write_queue.close("The ledger is closed.")
        await asyncio.to_thread(self._checkpointer.close)
        await asyncio.to_thread(self._writer.join)
        self._store.process_lock.close()

    async def unprojected(
        self, limit: int, committed_before_ms: int, without: Collection[Board] = ()
    ) -> Sequence[Unprojected]:
        """The oldest changes not marked projected, at most `limit`, by board, `without` some."""
        connection, latest_standings = self._writer.connection, self._writer.latest_standings
        return await self._read(
            lambda: reads.unprojected(
                connection, latest_standings, limit, committed_before_ms, self._now_ms(), without
            )
        )

    def snapshot(self, season: str, page_size: int = 1_000) -> Snapshot:
        """Every standing of a season at one change number, in pages."""
        return Snapshot(self._store, season, page_size)

    async def facts(self) -> LedgerFacts:
        """Change numbers, backlog, paused jobs and trouble, at this moment."""
        writer = self._writer
        return await self._read(
            lambda: reads.facts(writer.connection, self._now_ms(), writer.trouble)
        )

    async def changes(self, after: int, limit: int) -> Sequence[Change]:
        """The changes after a number, in order; raises ChangesTrimmed when some are gone."""
        return await self._read(lambda: reads.changes(self._writer.connection, after, limit))

    async def standings(self, season: str, player_ids: Sequence[str]) -> dict[str, Standing]:
        """The latest standing of each of these players who has one."""
        connection, latest_standings = self._writer.connection, self._writer.latest_standings
        return await self._read(
            lambda: reads.standings(connection, latest_standings, season, player_ids)
        )

    def counted_scores(
        self, season: str, boards: Sequence[str], page_scores: int = 10_000
    ) -> AbstractContextManager[CountedScores]:
        """How many players of the boards have each score, as of one change; blocks."""
        return reads.counted_scores(self._store, season, boards, page_scores)

    async def score_moves(self, query: ScoreMovesQuery) -> ScoreMoves:
        """How scores moved since a change, and players' standings; raises ChangesTrimmed."""
        connection, latest_standings = self._writer.connection, self._writer.latest_standings
        return await self._read(lambda: reads.score_moves(connection, latest_standings, query))

    async def _read(self, query: Callable[[], T]) -> T:
        read = Read(query)
        self._write_queue.put_read(read)
        return cast("T", await read.promise.future)
