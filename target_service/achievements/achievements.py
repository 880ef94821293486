"""The achievements as one part of the service."""

import asyncio
import uuid
from zoneinfo import ZoneInfo

from target_service.achievements.board_copies import BoardCopies
from target_service.achievements.publishing import Publisher
from target_service.achievements.records import Records
from target_service.achievements.scheduler import Nights, Scheduler
from target_service.achievements.series import AchievementSeries
from target_service.ledger.errors import LedgerError, begin_later
from target_service.ledger.store import Store
from target_service.metrics import Metrics
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings


class Achievements:
    """Opens the tables in the ledger's file, answers the routes, and keeps the background jobs."""

    def __init__(self, settings: Settings, pipeline: Pipeline, metrics: Metrics) -> None:
        self.series = AchievementSeries(metrics.registry)
        self.records = Records(
            settings.ledger_path, settings.ledger_sync, on_unlocked=self.series.unlocks.inc
        )
        self._publisher = Publisher(pipeline, self.records, metrics, uuid.uuid4().hex)
        self.nights = Nights(
            ZoneInfo(settings.achievements_zone),
            settings.achievements_reconcile_at,
            settings.achievements_sweep_at,
        )
        store = Store(settings.ledger_path, settings.ledger_sync)
        self.scheduler = Scheduler(store, self.records, self.nights, self.series)
        self.boards = BoardCopies(pipeline, self.records, metrics)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the tables and begin the jobs; where nothing can be written, again and again."""
        try:
            await self._begin()
        except LedgerError:
            self._tasks.append(asyncio.create_task(begin_later(self._begin)))

    async def stop(self) -> None:
        """End the jobs, answer whoever waits, and close the tables."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.scheduler.close()
        await self.records.close()

    async def _begin(self) -> None:
        await asyncio.to_thread(self.records.open)
        jobs = (self._publisher.keep(), self.scheduler.keep())
        self._tasks += [asyncio.create_task(job) for job in jobs]
