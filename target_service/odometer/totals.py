"""Reading a community total: the hot key, and what keeps it from being read by everybody."""

import asyncio
from collections.abc import Callable
from typing import Literal

from redis.exceptions import ResponseError

from target_service.ledger.errors import LedgerError
from target_service.ledger.questions import Questions
from target_service.odometer.copies import Copy, fetched, fetching, read_copy
from target_service.odometer.series import OdometerSeries
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.pipeline import Pipeline

Reads = Literal["projected", "direct"]

_REDIS_REST_SECONDS = 1.0


class _Kept:
    """A worker's copy of one event, and the fetch that is under way."""

    __slots__ = ("copy", "fetch", "fresh_until")

    def __init__(self) -> None:
        self.copy: Copy | None = None
        self.fresh_until = 0.0
        self.fetch: asyncio.Task[str] | None = None


def _look_at(fetch: asyncio.Task[str]) -> None:
    """A failure that nobody waited for is no news: the next poll fetches again."""
    if not fetch.cancelled():
        fetch.exception()


class Totals:
    """Answers polls from a copy that is fetched at most once per refresh interval.

    However many ask at once, one fetch is under way; nobody is given an older copy after a newer
    one. In `direct` every poll reads Redis, which is there to be compared with. When Redis has no
    usable copy, the ledger is asked, in either mode no more often than the interval.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        questions: Questions,
        reads: Reads,
        series: OdometerSeries,
        now_ms: Callable[[], int],
    ) -> None:
        self.ledger_id = ""
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
            if copy is not None:
                self._count["redis"]()
                return copy
        return await self._read_kept(event_id)

    async def _read_kept(self, event_id: str) -> Copy | None:
        kept = self._kept.get(event_id)
        if kept is None:
            kept = self._kept[event_id] = _Kept()
        source = "cache"
        if asyncio.get_running_loop().time() >= kept.fresh_until:
            is_first = kept.fetch is None
            if kept.fetch is None:
                kept.fetch = asyncio.create_task(self._refresh(event_id, kept))
                kept.fetch.add_done_callback(_look_at)
            # A client that leaves must not take the others' fetch with it.
            fetched_from = await asyncio.shield(kept.fetch)
            source = fetched_from if is_first else source
        self._count[source]()
        return kept.copy

    async def _refresh(self, event_id: str, kept: _Kept) -> str:
        started = asyncio.get_running_loop().time()
        try:
            source, copy = "redis", None
            if not self._is_direct:
                copy = await self._from_redis(event_id)
            if copy is None or copy.may_be_newer(self._now_ms()):
                end = copy or kept.copy
                source, copy = "ledger", await self._from_ledger(event_id, end)
            if copy is not None:
                self._take(kept, copy, started)
        finally:
            kept.fetch = None
            if kept.copy is None:
                # The event may be made the next moment, and is to be found from then on.
                self._kept.pop(event_id, None)
        return source

    def _take(self, kept: _Kept, copy: Copy, fetched_at: float) -> None:
        held = kept.copy
        if held is None or copy.as_of_ms >= held.as_of_ms or held.is_ahead(self._now_ms()):
            kept.copy = copy
        kept.fresh_until = fetched_at + copy.refresh_ms / 1_000

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

    async def _from_ledger(self, event_id: str, held: Copy | None) -> Copy | None:
        """Ask the ledger; where it cannot be asked, an end that is at hand is still right."""
        now_ms = self._now_ms()
        try:
            return await self._questions.ask(lambda c: read_copy(c, event_id, now_ms))
        except LedgerError:
            if held is None or not held.is_final:
                raise
            return held
