"""The odometer as one part of the service."""

import asyncio
import uuid
from collections.abc import Callable

from target_service.ledger.bounded_queue import GroupCommit, ReadQueue
from target_service.ledger.errors import LedgerClosed, LedgerError, begin_later
from target_service.ledger.store import Store
from target_service.metrics import Metrics
from target_service.odometer import tables
from target_service.odometer.consumer import Consumer
from target_service.odometer.deliveries import Done, Order
from target_service.odometer.intake import Intake
from target_service.odometer.projector import Projector
from target_service.odometer.rebuild import DriftWatch
from target_service.odometer.scheduler import Bookkeeping, Scheduler
from target_service.odometer.series import OdometerSeries
from target_service.odometer.serving import Serve
from target_service.odometer.stream import Stream
from target_service.odometer.totals import Totals
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings
from target_service.timestamps import wall_clock_ms


class Odometer:
    """Answers the odometer's routes and keeps its background jobs while the service runs."""

    def __init__(
        self,
        settings: Settings,
        pipeline: Pipeline,
        metrics: Metrics,
        now_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        self._store = Store(settings.ledger_path, settings.ledger_sync)
        self._pipeline = pipeline
        self.now_ms = now_ms
        self._series = OdometerSeries(metrics.registry)
        self._desk = GroupCommit[Order, Done]("odometer-writer", self._store, Serve(now_ms))
        self.questions = ReadQueue("odometer-reader", self._store)
        self.totals = Totals(
            pipeline,
            self.questions,
            settings.odometer_reads,
            self._series,
            now_ms,
            settings.ledger_path.with_name(f"{settings.ledger_path.name}-odometer"),
        )
        self.intake = Intake(self._desk, self.questions, self._series, now_ms)
        self._bookkeeping: Bookkeeping | None = None
        self._consumer: Consumer | None = None
        self._projector: Projector | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the file and start the jobs; where nothing can be written, again and again."""
        try:
            await self._begin()
        except LedgerError:
            self._tasks.append(asyncio.create_task(begin_later(self._begin)))

    async def _begin(self) -> None:
        self._bookkeeping = bookkeeping = await asyncio.to_thread(self._open)
        owner = uuid.uuid4().hex
        scheduler = Scheduler(self.questions, bookkeeping, owner, self.now_ms)
        self._projector = projector = Projector(
            self._pipeline,
            self.questions,
            bookkeeping,
            self._series,
            self.totals.ledger_id,
            owner,
            self.now_ms,
        )
        self._consumer = Consumer(Stream(self._pipeline, owner), self.intake)
        drift = DriftWatch(self.questions, projector, self._series)
        jobs = (scheduler.keep(), projector.keep(), self._consumer.keep(), drift.keep())
        self._tasks += [asyncio.create_task(job) for job in jobs]

    async def stop(self) -> None:
        """End the jobs, answer whoever waits, and close the file."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._consumer is not None:
            await self._consumer.leave()
        if self._projector is not None:
            await self._projector.leave()
        await self._desk.close()
        await self.questions.close()
        if self._bookkeeping is not None:
            await self._bookkeeping.close()
        self.totals.close()
        self._store.process_lock.close()

    def _open(self) -> Bookkeeping:
        self.totals.ledger_id = tables.prepare(self._store)
        self._desk.start()
        self.questions.start()
        return Bookkeeping(self._store)

    @property
    def bookkeeping(self) -> Bookkeeping:
        """Single transactions, once the file is open."""
        if self._bookkeeping is None:
            raise LedgerClosed("The odometer has not opened the ledger yet; try again.")
        return self._bookkeeping
