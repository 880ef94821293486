"""Rebuilding lost boards from the ledger, a page at a time, while writes go on."""

import asyncio
import uuid
from collections.abc import Iterator, Mapping, Sequence

from redis.exceptions import NoScriptError, ResponseError

from target_service.leaderboard.boards import Boards
from target_service.ledger.bounded_queue import OneThread
from target_service.ledger.errors import LeaseLost
from target_service.ledger.events import Standing
from target_service.ledger.leases import Lease
from target_service.ledger.protocol import ProjectionSource
from target_service.projection.guarded_writes import GUARDED_WRITE, MARK, VERSIONS, companion
from target_service.projection.inspection import Condition, Inspected
from target_service.projection.projection import Projection
from target_service.projection.state import LEASE, Progress, ProjectionState
from target_service.redis.commands import Command, Uncounted, pack
from target_service.redis.pipeline import Pipeline

_PAGE_ROWS = 1_000


class ProjectorPaused(Exception):
    """The projector job is paused."""


class Rebuild:
    """Begins a new epoch of boards, and fills those that have lost something.

    The board takes guarded writes from the start, so a live write and a page of the snapshot may
    arrive in any order: the newer version stays. The board is ready once the last page is in.
    `ready` names the epoch, so a rebuild that lost its lease cannot finish the next one. A board
    that Redis refuses is left out, and the others go on.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        source: ProjectionSource,
        state: ProjectionState,
        projection: Projection,
        boards: Boards,
    ) -> None:
        self._pipeline = pipeline
        self._source = source
        self._state = state
        self._projection = projection
        self._boards = boards
        self._keys = {(board.season, board.partition): board.key for board in boards.of()}

    async def run(
        self,
        lease: Lease,
        ledger_id: str,
        conditions: Mapping[str, Condition],
        inspected: Inspected,
    ) -> Mapping[str, ResponseError]:
        """Make every board writable, and fill every board in `conditions` that is not whole.

        Returns the boards that Redis refused, and why.

        Raises:
            LeaseLost: another process has taken over.
            ProjectorPaused: the job is paused.
            LedgerError, RedisUnavailable, ResponseError: the rebuild has to start again.

        """
        epochs = {key: uuid.uuid4().hex for key in conditions}
        gone = {key for key, condition in conditions.items() if condition is Condition.GONE}
        kept = {key: mark.writes for key, mark in inspected.marks.items() if key not in gone}
        progress = {key: Progress(epoch, kept.get(key, 0)) for key, epoch in epochs.items()}
        # The state first: from then on no write to an old epoch is marked as projected.
        await self._state.begin(lease, progress)
        whole = {key for key, condition in conditions.items() if condition is Condition.WHOLE}
        refused = await self._run_each(
            {
                key: list(_beginning(key, epoch, ledger_id, clear=key in gone, ready=key in whole))
                for key, epoch in epochs.items()
            }
        )
        await self._pipeline.run((GUARDED_WRITE.load,))
        unready = {key: epochs[key] for key in epochs.keys() - whole - refused.keys()}
        for season in self._boards.seasons:
            if unready.keys() & set(self._boards.keys_of(season)):
                refused |= await self._fill(season, unready)
        return refused | await self._run_each(
            {
                key: [Command(pack("HSET", companion(key, MARK), "ready", epoch), Uncounted())]
                for key, epoch in unready.items()
                if key not in refused
            }
        )

    async def _run_each(
        self, commands: Mapping[str, Sequence[Command]]
    ) -> dict[str, ResponseError]:
        """Run each board's commands; return the errors about single boards, raise any other."""
        answers = await asyncio.gather(
            *map(self._pipeline.run, commands.values()), return_exceptions=True
        )
        refused: dict[str, ResponseError] = {}
        for key, answer in zip(commands, answers, strict=True):
            if isinstance(answer, ResponseError):
                refused[key] = answer
            elif isinstance(answer, BaseException):
                raise answer
        return refused

    async def _fill(self, season: str, unready: Mapping[str, str]) -> dict[str, ResponseError]:
        refused: dict[str, ResponseError] = {}
        snapshot = self._source.snapshot(season, _PAGE_ROWS)
        thread = OneThread("projection-rebuild")
        await thread.run(snapshot.__enter__)
        try:
            while page := await thread.run(lambda: next(snapshot, None)):
                await self._keep_lease()
                for key, standings in self._by_key(page):
                    if key not in unready or key in refused:
                        continue
                    try:
                        written = await self._projection.replay(key, standings)
                    except NoScriptError:
                        raise
                    except ResponseError as error:
                        refused[key] = error
                        continue
                    if written is None or written.epoch != unready[key]:
                        raise LeaseLost(f"The board {key} was lost again, or begun again.")
        finally:
            await thread.close(lambda: snapshot.__exit__(None, None, None))
        return refused

    async def _keep_lease(self) -> None:
        if LEASE in (await self._source.facts()).paused_jobs:
            raise ProjectorPaused
        if await self._state.take_lease() is None:
            raise LeaseLost("Another process rebuilds the boards.")

    def _by_key(self, page: list[Standing]) -> Iterator[tuple[str, list[Standing]]]:
        by_key: dict[str, list[Standing]] = {}
        for standing in page:
            key = self._keys.get((standing.season, standing.board))
            if key is not None:
                by_key.setdefault(key, []).append(standing)
        return iter(by_key.items())


def _beginning(
    key: str, epoch: str, ledger_id: str, *, clear: bool, ready: bool
) -> Iterator[Command]:
    mark = companion(key, MARK)
    if clear:
        yield Command(pack("UNLINK", key, companion(key, VERSIONS), mark), Uncounted())
    fields = ["epoch", epoch, "ledger", ledger_id, *(("ready", epoch) if ready else ())]
    yield Command(pack("HSET", mark, *fields), Uncounted())
