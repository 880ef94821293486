"""The ledger and everything between it and the ranking, as one part of the service."""

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress

from redis.exceptions import ResponseError

from target_service.leaderboard.boards import Boards
from target_service.ledger.errors import LedgerError
from target_service.ledger.events import LedgerOptions
from target_service.ledger.sqlite import SqliteLedger
from target_service.ledger.store import Store
from target_service.metrics import LedgerSeries, Metrics
from target_service.projection.ack_tracker import AckTracker
from target_service.projection.guarded_writes import MARK, GuardedKey, companion
from target_service.projection.inspection import Conditions, Inspection
from target_service.projection.projection import ProjectedFreshness, Projection
from target_service.projection.projector import Projector
from target_service.projection.quarantine import Quarantine
from target_service.projection.rebuild import Rebuild
from target_service.projection.replay import Replay
from target_service.projection.state import ProjectionState
from target_service.redis.commands import Command, RedisUnavailable, Uncounted, pack
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings

_FIRST_CHECK_SECONDS = 3.0
_CHECK_AGAIN_SECONDS = 0.1


class Durability:
    """Opens the ledger and keeps the boards in Redis equal to it while the service runs."""

    def __init__(
        self, settings: Settings, boards: Boards, pipeline: Pipeline, metrics: Metrics
    ) -> None:
        series = LedgerSeries(metrics.registry)
        options = LedgerOptions(sync=settings.ledger_sync)
        keys = boards.keys_of()
        quarantine = Quarantine()
        conditions = Conditions(quarantine)
        self.ledger = SqliteLedger(
            settings.ledger_path, options, on_commit=_observer(series.commit_duration.observe)
        )
        self._state = ProjectionState(
            Store(settings.ledger_path, settings.ledger_sync), uuid.uuid4().hex, keys
        )
        self._ack_tracker = AckTracker(self.ledger, self._state, conditions)
        guarded = {key: GuardedKey(key, metrics) for key in keys}
        self.projection = Projection(pipeline, guarded, conditions, self._ack_tracker)
        self.freshness = ProjectedFreshness(pipeline, conditions)
        self.board_marks = {
            key: Command(
                pack("HMGET", companion(key, MARK), "epoch", "writes", "ready"), Uncounted()
            )
            for key in keys
        }
        self._projector = Projector(
            self.ledger,
            self._state,
            Inspection(pipeline, keys),
            conditions,
            Rebuild(pipeline, self.ledger, self._state, self.projection, boards),
            Replay(
                self.ledger,
                self._state,
                conditions,
                self.projection,
                self._ack_tracker,
                quarantine,
                boards,
                series,
                settings.redis_timeout_seconds,
            ),
            quarantine,
            series,
        )
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Check the boards before the first request, then for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_CHECK_SECONDS):
                await self._first_check()
        self._tasks = [
            asyncio.create_task(self._projector.keep()),
            asyncio.create_task(self._ack_tracker.keep()),
        ]

    async def stop(self) -> None:
        """End the background jobs, mark what has arrived, and close the ledger."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(LedgerError):
            await self._ack_tracker.flush()
        await self._state.close()
        await self.ledger.close()

    async def _first_check(self) -> None:
        while True:
            with suppress(LedgerError, RedisUnavailable, ResponseError):
                if await self._projector.check_boards():
                    return
            await asyncio.sleep(_CHECK_AGAIN_SECONDS)


def _observer(observe: Callable[[float], None]) -> Callable[[float, int], None]:
    def on_commit(seconds: float, _events: int) -> None:
        observe(seconds)

    return on_commit
