"""The odometer as one part of the service."""

import asyncio
import uuid
from collections.abc import Callable

from target_service.ledger.desk import Desk
from target_service.ledger.errors import LedgerClosed, LedgerError
from target_service.ledger.opening import begin_later
from target_service.ledger.questions import Questions
from target_service.ledger.store import Store
from target_service.metrics import Metrics
from target_service.moments import wall_clock_ms
from target_service.odometer import tables
from target_service.odometer.bookkeeping import Bookkeeping
from target_service.odometer.consumer import Consumer
from target_service.odometer.drift import DriftWatch
from target_service.odometer.event_player import ReadEventPlayer
from target_service.odometer.event_state import EVENT_V1, EVENT_V2, ReadEvent, ReadVersions
from target_service.odometer.intake import Intake
from target_service.odometer.join import JoinEvent
from target_service.odometer.orders import Done, Order
from target_service.odometer.projector import Projector
from target_service.odometer.put_event import PutEvent
from target_service.odometer.races import TakeRaces
from target_service.odometer.scheduler import Scheduler
from target_service.odometer.series import OdometerSeries
from target_service.odometer.serving import Serve
from target_service.odometer.stream import Stream
from target_service.odometer.totals import Totals
from target_service.redis_wire.pipeline import Pipeline
from target_service.settings import Settings

OPERATIONS = (
    PutEvent.operation,
    ReadVersions.operation,
    EVENT_V1,
    EVENT_V2,
    JoinEvent.operation,
    TakeRaces.operation,
    ReadEventPlayer.operation,
)


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
        self._now_ms = now_ms
        self._series = OdometerSeries(metrics.registry)
        self._desk = Desk[Order, Done]("odometer-writer", self._store, Serve(now_ms))
        self._questions = Questions("odometer-reader", self._store)
        self._totals = Totals(
            pipeline,
            self._questions,
            settings.odometer_reads,
            self._series,
            now_ms,
            settings.ledger_path.with_name(f"{settings.ledger_path.name}-odometer"),
        )
        self._intake = Intake(self._desk, self._questions, self._series, now_ms)
        self.handlers = (
            PutEvent(self._open_bookkeeping, now_ms),
            ReadVersions(),
            ReadEvent(EVENT_V1, self._totals, lambda copy: copy.v1),
            ReadEvent(EVENT_V2, self._totals, lambda copy: copy.v2),
            JoinEvent(self._intake),
            TakeRaces(self._intake),
            ReadEventPlayer(self._questions),
        )
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
        scheduler = Scheduler(self._questions, bookkeeping, owner, self._now_ms)
        self._projector = projector = Projector(
            self._pipeline,
            self._questions,
            bookkeeping,
            self._series,
            self._totals.ledger_id,
            owner,
            self._now_ms,
        )
        self._consumer = Consumer(Stream(self._pipeline, owner), self._intake)
        drift = DriftWatch(self._questions, projector, self._series)
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
        await self._questions.close()
        if self._bookkeeping is not None:
            await self._bookkeeping.close()
        self._totals.close()
        self._store.turns.close()

    def _open(self) -> Bookkeeping:
        self._totals.ledger_id = tables.prepare(self._store)
        self._desk.start()
        self._questions.start()
        return Bookkeeping(self._store)

    def _open_bookkeeping(self) -> Bookkeeping:
        if self._bookkeeping is None:
            raise LedgerClosed("The odometer has not opened the ledger yet; try again.")
        return self._bookkeeping
