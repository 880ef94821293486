"""When a night's reconcile and sweep are due, and beginning the sweep then."""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from target_service.achievements.records import Records
from target_service.achievements.series import AchievementSeries
from target_service.achievements.sweep import Sweep, SweepCut, begin_sweep
from target_service.achievements.sweep_records import WAITS, SweepRow
from target_service.ledger.errors import LedgerError
from target_service.ledger.store import Store
from target_service.timestamps import rfc3339, wall_clock_ms

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Nights:
    """The times of every night; a night is named by the date on which its sweep is due.

    Where the clocks skip a time of day, it is when they do: the first moment after it. Where they
    show it twice, it is the first of the two. So every night has one reconcile and one sweep, in
    that order, unless the clocks skip both.
    """

    zone: ZoneInfo
    reconcile_at: time
    sweep_at: time

    def reconcile_ms(self, night: date) -> int:
        """When the reconcile of the night begins."""
        return self._moment_ms(night, self.reconcile_at)

    def sweep_ms(self, night: date) -> int:
        """When the sweep of the night is due."""
        return self._moment_ms(night, self.sweep_at)

    def closes_ms(self, night: date) -> int:
        """When the night is over: the next one's reconcile begins to change the counters."""
        return self.reconcile_ms(night + _DAY)

    def is_word_for(self, night: date, said_ms: int | None) -> bool:
        """Whether a word at this moment says that the night's reconcile is complete."""
        begins_ms = self.reconcile_ms(night)
        return said_ms is not None and begins_ms <= said_ms < self.closes_ms(night)

    def latest(self, now_ms: int) -> date:
        """The last night whose sweep was due by now."""
        today = datetime.fromtimestamp(now_ms / 1_000, self.zone).date()
        return today if self.sweep_ms(today) <= now_ms else today - _DAY

    def _moment_ms(self, night: date, at: time) -> int:
        wanted = datetime.combine(night, at)
        first = wanted.replace(tzinfo=self.zone).astimezone(UTC)
        if first.astimezone(self.zone).replace(tzinfo=None) == wanted:
            return int(first.timestamp()) * 1_000
        return self._change_after(wanted) * 1_000

    def _change_after(self, skipped: datetime) -> int:
        """The second at which the clocks skip this time: read as before and after, it lies between.

        PEP 495: in a gap fold=0 means the offset before, and fold=1 the one after.
        """
        late = int(skipped.replace(tzinfo=self.zone, fold=0).timestamp())
        early = int(skipped.replace(tzinfo=self.zone, fold=1).timestamp())
        after = self._offset(late)
        while early < late:
            middle = (early + late) // 2
            if self._offset(middle) == after:
                late = middle
            else:
                early = middle + 1
        return late

    def _offset(self, second: int) -> timedelta | None:
        return datetime.fromtimestamp(second, self.zone).utcoffset()


logger = logging.getLogger(__name__)

_INTERVAL_SECONDS = 1.0
_NOT_SWEPT = "not swept"


class Scheduler:
    """Looks at the clock once a second; whatever clocks do, a night is decided once.

    The ledger remembers what became of a night, so several workers, a restart and a clock that is
    set back neither repeat a sweep nor leave one out. A night that nobody was there for, or whose
    reconcile is late, is made up for until the next night's reconcile begins.
    """

    def __init__(
        self,
        store: Store,
        records: Records,
        nights: Nights,
        series: AchievementSeries,
        now_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        self._store = store
        self._records = records
        self._nights = nights
        self._series = series
        self._now_ms = now_ms
        self._decided: date | None = None
        self._is_cut = threading.Event()
        self._running: set[asyncio.Task[None]] = set()

    async def keep(self) -> None:
        """Look for ever; a failure is tried again."""
        while True:
            try:
                await self.look()
            except LedgerError:
                pass
            except Exception:
                logger.exception("The scheduler of sweeps failed; it goes on")
            await asyncio.sleep(_INTERVAL_SECONDS)

    async def look(self) -> None:
        """Count what sweeps have done, and sweep if a night is due that nobody has decided."""
        await self._count()
        now_ms = self._now_ms()
        night = self._nights.latest(now_ms)
        if night == self._decided:
            return
        found = await self._records.night(night.isoformat())
        if found.is_decided:
            self._decided = night
        elif now_ms >= self._nights.closes_ms(night):
            await self._decide(night, found.reconciled_ms, _NOT_SWEPT)
        elif self._nights.is_word_for(night, found.reconciled_ms):
            await self.sweep(night.isoformat())
        elif found.outcome is None:
            await self._decide(night, found.reconciled_ms, WAITS)

    async def sweep(self, night: str | None = None) -> int | None:
        """Begin a sweep; return its number, or None when another is at work."""
        opened = await asyncio.to_thread(self._open, night)
        if opened is None:
            return None
        begun, connection = opened
        task = asyncio.create_task(asyncio.to_thread(_finish, begun, connection))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return begun.number

    async def close(self) -> None:
        """Have what is running stop at its next page, and wait for it."""
        self._is_cut.set()
        await asyncio.gather(*self._running)
        self._store.process_lock.close()

    def _open(self, night: str | None) -> tuple[Sweep, sqlite3.Connection] | None:
        """Begin a sweep on a connection of its own, in the thread of whoever calls."""
        connection = self._store.connect()
        try:
            begun = begin_sweep(self._store, connection, night, self._now_ms, self._is_cut.is_set)
        except BaseException:
            connection.close()
            raise
        if begun is None:
            connection.close()
            return None
        return begun, connection

    async def _count(self) -> None:
        """Count runs that ended, each by whichever worker claims it first."""
        ended = await self._records.sweeps_ended()
        rows: list[SweepRow] = []
        if ended.is_uncounted:
            rows = await self._records.claim_sweeps()
        for row in rows:
            self._series.recounts.labels("sweep").inc(row.scanned)
            self._series.unlocks.inc(row.unlocked)
            self._series.sweep_members.labels("changed").inc(row.changed)
            self._series.sweep_members.labels("unchanged").inc(row.unchanged)
            self._series.sweep_members.labels("failed").inc(row.failed)
        # Last, so that who sees the time sees what was counted.
        self._series.sweep_last_success.set(ended.last_ms / 1_000)

    async def _decide(self, night: date, said_ms: int | None, outcome: str) -> None:
        """Note that the night is not swept, or not yet, and have one worker say so."""
        if await self._records.decide_night(night.isoformat(), outcome):
            until = rfc3339(self._nights.closes_ms(night))
            what = f"it waits until {until}" if outcome == WAITS else "it does not run"
            logger.info("sweep (night %s): %s: %s", night, what, self._why(night, said_ms))

    def _why(self, night: date, said_ms: int | None) -> str:
        if said_ms is None:
            return "nobody said that the night's reconcile is complete"
        begins, closes = self._nights.reconcile_ms(night), self._nights.closes_ms(night)
        said = f"its reconcile was said to be complete at {rfc3339(said_ms)}"
        if said_ms < begins:
            return f"{said}, before it begins ({rfc3339(begins)})"
        return f"{said}, and the next night's has begun since ({rfc3339(closes)})"


def _finish(begun: Sweep, connection: sqlite3.Connection) -> None:
    """Take the sweep to its end and close its connection, both in one thread."""
    with closing(connection):
        try:
            begun.run()
        except (LedgerError, SweepCut):
            # The sweep's own line has said why it ended.
            return
        except Exception:
            logger.exception("A sweep failed")
