"""Reading a community total: the hot key, and what keeps it from being read by everybody."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal
from zlib import crc32

from redis.exceptions import ResponseError

from target_service.global_top.floor import Floor
from target_service.ledger.errors import LedgerError
from target_service.ledger.questions import Questions
from target_service.odometer.copies import (
    NOTHING_ANSWERED,
    STALE_AT_LEAST_MS,
    Copy,
    Mark,
    fetched,
    fetching,
    read_copy,
)
from target_service.odometer.series import OdometerSeries
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.pipeline import Pipeline

Reads = Literal["projected", "direct"]

_REDIS_REST_SECONDS = 1.0
_PLACES = 4_096
# In refresh intervals: how long making a copy may take, and until what age it counts as new.
_MADE_WITHIN = 0.05
_FRESH = 0.2


class _Kept:
    """A worker's copy of one event, and the fetch that is under way."""

    __slots__ = ("copy", "fetch", "fetch_at", "missed")

    def __init__(self) -> None:
        self.copy: Copy | None = None
        self.fetch_at = 0.0
        # What was answered and nothing reaches any more is asked for once, not with every poll.
        self.missed = NOTHING_ANSWERED
        self.fetch: asyncio.Task[str] | None = None

    def must_follow(self, answered: Mark) -> bool:
        """Tell whether another worker has answered from a newer copy."""
        return self.copy is not None and self.copy.undercuts(answered) and answered != self.missed


def _look_at(fetch: asyncio.Task[str]) -> None:
    """A failure that nobody waited for is no news: the next poll fetches again."""
    if not fetch.cancelled():
        fetch.exception()


class Totals:
    """Answers polls from a copy that is fetched at most once per refresh interval.

    However many ask at once, one fetch is under way. What one worker has answered no other
    undercuts: whose copy is older fetches before it answers. In `direct` every poll reads Redis,
    which is there to be compared with. When Redis has no usable copy, the ledger is asked, in
    either mode no more often than the interval.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        questions: Questions,
        reads: Reads,
        series: OdometerSeries,
        now_ms: Callable[[], int],
        floor: Path | None = None,
    ) -> None:
        self.ledger_id = ""
        self._floor = Floor(floor, 2 * _PLACES)
        self._pipeline = pipeline
        self._questions = questions
        self._is_direct = reads == "direct"
        self._now_ms = now_ms
        self._kept: dict[str, _Kept] = {}
        self._redis_again_at = 0.0
        self._count = {
            source: series.reads.labels(source).inc for source in ("cache", "redis", "ledger")
        }

    async def read(self, event_id: str) -> Copy | None:
        """Return the event's state; None when there is no such event."""
        if self._is_direct:
            copy = await self._from_redis(event_id)
            if copy is not None and not copy.undercuts(self._answered(event_id)):
                self._note_answered(event_id, copy)
                self._count["redis"]()
                return copy
        return await self._read_kept(event_id)

    def close(self) -> None:
        """Give back the memory that the workers share."""
        self._floor.close()

    async def _read_kept(self, event_id: str) -> Copy | None:
        kept = self._kept.get(event_id)
        if kept is None:
            kept = self._kept[event_id] = _Kept()
        source = "cache"
        is_due = asyncio.get_running_loop().time() >= kept.fetch_at
        answered = self._answered(event_id)
        while is_due or kept.must_follow(answered):
            is_due = False
            is_first = kept.fetch is None
            if kept.fetch is None:
                kept.fetch = asyncio.create_task(self._refresh(event_id, kept))
                kept.fetch.add_done_callback(_look_at)
            # A client that leaves must not take the others' fetch with it.
            fetched_from = await asyncio.shield(kept.fetch)
            source = fetched_from if is_first else source
            if kept.copy is None:
                break
        self._count[source]()
        return kept.copy

    async def _refresh(self, event_id: str, kept: _Kept) -> str:
        started = asyncio.get_running_loop().time()
        answered = self._answered(event_id)
        try:
            source, copy = "redis", None
            if not self._is_direct:
                copy = await self._from_redis(event_id)
            if copy is None or copy.is_behind(self._now_ms()) or copy.undercuts(answered):
                at_hand = [one for one in (kept.copy, copy) if one is not None]
                source, copy = "ledger", await self._from_ledger(event_id, answered, at_hand)
            if copy is not None:
                self._take(event_id, kept, copy, started)
                kept.missed = answered if copy.undercuts(answered) else NOTHING_ANSWERED
        finally:
            kept.fetch = None
            if kept.copy is None:
                # The event may be made the next moment, and is to be found from then on.
                self._kept.pop(event_id, None)
        return source

    def _take(self, event_id: str, kept: _Kept, copy: Copy, fetched_at: float) -> None:
        """Answer from the copy until one that was made later must be there.

        Counted from the copy's own moment: just after the next one is made, or where that would
        be less than an interval from now, after the one that follows. From then on every copy is
        fetched as soon as it is made, and is hardly more than one interval old in the end.
        """
        kept.copy = copy
        self._note_answered(event_id, copy)
        interval = copy.refresh_ms / 1_000
        age = max(0.0, (self._now_ms() - copy.as_of_ms) / 1_000)
        if age <= _FRESH * interval:
            kept.fetch_at = fetched_at + max(interval, (1 + _MADE_WITHIN) * interval - age)
        else:
            kept.fetch_at = fetched_at + (2 + _MADE_WITHIN) * interval - age

    def _answered(self, event_id: str) -> Mark:
        """Return how new what any worker has answered is; no moment that is still to come."""
        as_of_ms, progress = map(self._floor.at, self._places(event_id))
        return Mark(0 if self._is_to_come(as_of_ms) else as_of_ms, progress)

    def _note_answered(self, event_id: str, copy: Copy) -> None:
        moment, progress = self._places(event_id)
        if self._is_to_come(self._floor.at(moment)):
            self._floor.put(copy.as_of_ms, moment)
        self._floor.rise(copy.as_of_ms, moment)
        self._floor.rise(copy.progress, progress)

    def _is_to_come(self, as_of_ms: int) -> bool:
        """Tell whether the clock was set back since."""
        return as_of_ms - self._now_ms() > STALE_AT_LEAST_MS

    def _places(self, event_id: str) -> tuple[int, int]:
        """Return the event's places in the floor; two that share one ask the ledger more often."""
        place = 2 * (crc32(f"{self.ledger_id} {event_id}".encode()) % _PLACES)
        return place, place + 1

    async def _from_redis(self, event_id: str) -> Copy | None:
        """Return the copy in Redis if it is of use; an unwell Redis gets a rest."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._redis_again_at:
            return None
        try:
            (reply,), _ = await self._pipeline.run((fetching(event_id),))
        except (RedisUnavailable, ResponseError):
            self._redis_again_at = loop.time() + _REDIS_REST_SECONDS
            return None
        copy = fetched(reply, self.ledger_id)
        return None if copy is None or copy.is_stale(self._now_ms()) else copy

    async def _from_ledger(
        self, event_id: str, answered: Mark, at_hand: Sequence[Copy]
    ) -> Copy | None:
        """Ask the ledger; where it cannot be asked, a copy at hand may still be right."""
        now_ms = self._now_ms()
        try:
            return await self._questions.ask(lambda c: read_copy(c, event_id, now_ms, answered))
        except LedgerError:
            usable = [one for one in at_hand if one.is_final or not one.is_stale(now_ms)]
            usable = [one for one in usable if not one.undercuts(answered)]
            if not usable:
                raise
            return max(usable, key=lambda one: one.as_of_ms)
