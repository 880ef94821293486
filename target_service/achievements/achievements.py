"""The achievements as one part of the service."""

import asyncio
import uuid
from zoneinfo import ZoneInfo

from target_service.achievements.achievements_route import ReadAchievements
from target_service.achievements.board_copies import BoardCopies
from target_service.achievements.colleagues_route import ReadColleagues
from target_service.achievements.count_route import CountEvents
from target_service.achievements.member_route import EnrolMember
from target_service.achievements.night_route import CompleteReconcile
from target_service.achievements.nights import Nights
from target_service.achievements.pending_route import ReadPending
from target_service.achievements.publishing import Publisher
from target_service.achievements.reconcile_route import ReconcileCounters
from target_service.achievements.records import Records
from target_service.achievements.scheduler import Scheduler
from target_service.achievements.series import AchievementSeries
from target_service.achievements.sweep_route import BeginSweep, ReadSweep
from target_service.ledger.errors import LedgerError
from target_service.ledger.opening import begin_later
from target_service.ledger.store import Store
from target_service.metrics import Metrics
from target_service.redis_wire.pipeline import Pipeline
from target_service.settings import Settings

OPERATIONS = (
    CountEvents.operation,
    ReconcileCounters.operation,
    EnrolMember.operation,
    ReadAchievements.operation,
    ReadPending.operation,
    ReadColleagues.operation,
    CompleteReconcile.operation,
    BeginSweep.operation,
    ReadSweep.operation,
)


class Achievements:
    """Opens the tables in the ledger's file, answers the routes, and keeps the background jobs."""

    def __init__(self, settings: Settings, pipeline: Pipeline, metrics: Metrics) -> None:
        series = AchievementSeries(metrics.registry)
        self._records = Records(
            settings.ledger_path, settings.ledger_sync, on_unlocked=series.unlocks.inc
        )
        self._publisher = Publisher(pipeline, self._records, metrics, uuid.uuid4().hex)
        nights = Nights(
            ZoneInfo(settings.achievements_zone),
            settings.achievements_reconcile_at,
            settings.achievements_sweep_at,
        )
        store = Store(settings.ledger_path, settings.ledger_sync)
        self._scheduler = Scheduler(store, self._records, nights, series)
        self.handlers = (
            CountEvents(self._records),
            ReconcileCounters(self._records),
            EnrolMember(self._records),
            ReadAchievements(self._records, series),
            ReadPending(self._records, series),
            ReadColleagues(BoardCopies(pipeline, self._records, metrics)),
            CompleteReconcile(self._records, nights),
            BeginSweep(self._records, self._scheduler),
            ReadSweep(self._records),
        )
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
        await self._scheduler.close()
        await self._records.close()

    async def _begin(self) -> None:
        await asyncio.to_thread(self._records.open)
        jobs = (self._publisher.keep(), self._scheduler.keep())
        self._tasks += [asyncio.create_task(job) for job in jobs]
