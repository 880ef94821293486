"""The achievements as one part of the service."""

import asyncio
import uuid
from contextlib import suppress

from target_service.achievements.achievements_route import ReadAchievements
from target_service.achievements.board_copies import BoardCopies
from target_service.achievements.colleagues_route import ReadColleagues
from target_service.achievements.count_route import CountEvents
from target_service.achievements.member_route import EnrolMember
from target_service.achievements.pending_route import ReadPending
from target_service.achievements.publishing import Publisher
from target_service.achievements.reconcile_route import ReconcileCounters
from target_service.achievements.records import Records
from target_service.achievements.series import AchievementSeries
from target_service.ledger.errors import LedgerError
from target_service.metrics import Metrics
from target_service.redis_wire.pipeline import Pipeline
from target_service.settings import Settings

_OPEN_AGAIN_SECONDS = 1.0

OPERATIONS = (
    CountEvents.operation,
    ReconcileCounters.operation,
    EnrolMember.operation,
    ReadAchievements.operation,
    ReadPending.operation,
    ReadColleagues.operation,
)


class Achievements:
    """Opens the tables in the ledger's file, answers the routes, and keeps the background jobs."""

    def __init__(self, settings: Settings, pipeline: Pipeline, metrics: Metrics) -> None:
        series = AchievementSeries(metrics.registry)
        self._records = Records(
            settings.ledger_path, settings.ledger_sync, on_unlocked=series.unlocks.inc
        )
        owner = uuid.uuid4().hex
        self._publisher = Publisher(pipeline, self._records, metrics, owner)
        self.handlers = (
            CountEvents(self._records),
            ReconcileCounters(self._records),
            EnrolMember(self._records),
            ReadAchievements(self._records, series),
            ReadPending(self._records, series),
            ReadColleagues(BoardCopies(pipeline, self._records, metrics)),
        )
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the tables and begin the jobs; where nothing can be written, again and again."""
        try:
            await self._begin()
        except LedgerError:
            self._tasks.append(asyncio.create_task(self._begin_later()))

    async def stop(self) -> None:
        """End the jobs, answer whoever waits, and close the tables."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._records.close()

    async def _begin(self) -> None:
        await asyncio.to_thread(self._records.open)
        self._tasks.append(asyncio.create_task(self._publisher.keep()))

    async def _begin_later(self) -> None:
        while True:
            await asyncio.sleep(_OPEN_AGAIN_SECONDS)
            with suppress(LedgerError):
                await self._begin()
                return
