"""The projector: brings every event's state from the ledger to Redis, one worker at a time."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from redis.exceptions import ResponseError

from target_service.ledger.bounded_queue import ReadQueue
from target_service.ledger.errors import LedgerError
from target_service.ledger.leases import Lease, acquire_lease, release_lease, require_lease
from target_service.odometer import tables as event_rows
from target_service.odometer.event import Event, State
from target_service.odometer.scheduler import Bookkeeping
from target_service.odometer.series import OdometerSeries
from target_service.odometer.totals import Copy, copy_of, publish, storing
from target_service.redis.commands import RedisUnavailable
from target_service.redis.pipeline import Pipeline

logger = logging.getLogger(__name__)

LEASE = "odometer-projector"
LEASE_MS = 2_000
_RENEW_MS = 700
_IDLE_SECONDS = 0.25
# From then on the few who still ask after an event are answered from the ledger.
_AFTER_THE_END_MS = 3_600_000


class Projector:
    """Sets totals absolutely, each event on its own refresh interval, while it has the lease."""

    def __init__(
        self,
        pipeline: Pipeline,
        questions: ReadQueue,
        bookkeeping: Bookkeeping,
        series: OdometerSeries,
        ledger_id: str,
        owner: str,
        now_ms: Callable[[], int],
    ) -> None:
        self._pipeline = pipeline
        self._questions = questions
        self._bookkeeping = bookkeeping
        self._series = series
        self._ledger_id = ledger_id
        self._owner = owner
        self._now_ms = now_ms
        self._looked_at_ms = 0
        self._renew_at_ms = 0
        self._due_ms: dict[int, int] = {}
        self._lease: Lease | None = None

    @property
    def has_lease(self) -> bool:
        """Whether this worker is the one that projects."""
        return self._lease is not None

    async def leave(self) -> None:
        """Let another worker project at once, if the ledger can be told."""
        lease = self._lease
        if lease is not None:
            with suppress(LedgerError):
                await self._bookkeeping.write_unsynced(lambda c: release_lease(c, lease))

    async def keep(self) -> None:
        """Project for ever; what fails is tried again."""
        while True:
            pause_seconds = _IDLE_SECONDS
            try:
                pause_seconds = await self.look()
            except LedgerError:
                pass
            except Exception:
                logger.exception("The odometer's projector failed; it goes on")
            await asyncio.sleep(pause_seconds)

    async def look(self) -> float:
        """Project what is due; return the seconds until more is."""
        self._check_clock()
        await self._hold()
        lease = self._lease
        if lease is None:
            return _IDLE_SECONDS
        now_ms = self._now_ms()
        since_ms = now_ms - _AFTER_THE_END_MS
        events = await self._questions.ask(lambda c: event_rows.projected(c, since_ms))
        due = [event for event in events if self._due_ms.get(event.number, 0) <= now_ms]
        if due:
            copies = {event.id: copy_of(event, now_ms) for event in due}
            await self._leave_in_file(copies, lease)
            for event in due:
                self._due_ms[event.number] = now_ms + event.configuration.refresh_ms
            # Without Redis the next copies are made all the same, for whoever finds none there.
            with suppress(RedisUnavailable, ResponseError):
                await self._put_in_redis(copies, lease)
                self._tell_as_of(events, now_ms)
        left_ms = min((self._due_ms[event.number] for event in events), default=0) - self._now_ms()
        return min(_IDLE_SECONDS, max(0.0, left_ms / 1_000)) if events else _IDLE_SECONDS

    def _check_clock(self) -> None:
        """Plan anew when the clock was set back: what is planned may be hours away."""
        now_ms = self._now_ms()
        if now_ms < self._looked_at_ms:
            self._renew_at_ms = 0
            self._due_ms.clear()
        self._looked_at_ms = now_ms

    def _tell_as_of(self, events: Sequence[Event], now_ms: int) -> None:
        """Say how fresh Redis is; where every event has ended, no total can be old."""
        may_change = any(event.state is not State.CLOSED for event in events)
        self._series.as_of.set(now_ms / 1_000 if may_change else 0)

    async def _leave_in_file(self, copies: Mapping[str, Copy], lease: Lease) -> None:
        def leave(connection: sqlite3.Connection) -> None:
            require_lease(connection, lease)
            publish(connection, copies)

        await self._bookkeeping.write_unsynced(leave)

    async def _put_in_redis(self, copies: Mapping[str, Copy], lease: Lease) -> None:
        commands = [
            storing(event_id, copy, self._ledger_id, lease.token)
            for event_id, copy in copies.items()
        ]
        await asyncio.gather(*(self._pipeline.run((command,)) for command in commands))

    async def _hold(self) -> None:
        """Take or keep the lease; most looks need not ask."""
        now_ms = self._now_ms()
        if self.has_lease and now_ms < self._renew_at_ms:
            return
        self._lease = await self._bookkeeping.write_unsynced(self._acquire)
        self._renew_at_ms = now_ms + _RENEW_MS

    def _acquire(self, connection: sqlite3.Connection) -> Lease | None:
        return acquire_lease(connection, LEASE, self._owner, LEASE_MS, self._now_ms())
