"""The background job of each worker that keeps the boards in Redis equal to the ledger."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from redis.exceptions import ResponseError

from target_service.leaderboard.boards import Boards
from target_service.ledger.errors import LedgerError
from target_service.ledger.protocol import ProjectionSource
from target_service.ledger.standings import LedgerFacts, Unprojected
from target_service.metrics import LedgerSeries
from target_service.projection.book import LEASE, Book
from target_service.projection.conditions import Conditions
from target_service.projection.inspection import Condition, Inspected, Inspection, judge
from target_service.projection.marking import Marking
from target_service.projection.projection import Projection
from target_service.projection.rebuild import ProjectorHeld, Rebuild
from target_service.redis_wire.errors import RedisUnavailable

if TYPE_CHECKING:
    from target_service.projection.guard_script import Written

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 0.25
_BACKOFF_AT_MOST_SECONDS = 2.0
_REPLAYED_AT_ONCE = 2_000
# Marks of what was projected are on their way for some fifths of a second.
_MARKING_SECONDS = 1.0
_FAILURES = (LedgerError, RedisUnavailable, ResponseError, ProjectorHeld)


class Projector:
    """Looks at the boards four times a second, rebuilds what is lost, replays what is missing.

    Every worker looks; one of them, by a lease, repairs. Two at once would only do it twice: the
    guard keeps the newer version whoever writes.
    """

    def __init__(
        self,
        source: ProjectionSource,
        book: Book,
        inspection: Inspection,
        conditions: Conditions,
        projection: Projection,
        marking: Marking,
        rebuild: Rebuild,
        boards: Boards,
        series: LedgerSeries,
        settle_seconds: float,
    ) -> None:
        self._source = source
        self._book = book
        self._inspection = inspection
        self._conditions = conditions
        self._projection = projection
        self._marking = marking
        self._rebuild = rebuild
        self._keys = {(board.season, board.partition): board.key for board in boards.of()}
        self._series = series
        self._settle_seconds = settle_seconds + _MARKING_SECONDS
        self._pause_seconds = 0.0
        self._replay_at = 0.0

    async def keep(self) -> None:
        """Look and repair for ever; a failure is tried again."""
        while True:
            try:
                await self.look()
            except _FAILURES:
                pass
            except Exception:
                logger.exception("The projector failed; it goes on")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._conditions.doubted.wait(), INTERVAL_SECONDS)
                # Many doubts at once deserve one look.
                await asyncio.sleep(INTERVAL_SECONDS / 5)
            self._conditions.doubted.clear()

    async def look(self) -> bool:
        """Look once and repair what can be; tell whether every board is whole."""
        facts = await self._source.facts()
        self._measure(facts)
        conditions, inspected, _ = await self._inspect()
        is_whole = inspected.script_known and set(conditions.values()) == {Condition.WHOLE}
        if LEASE in facts.holds:
            return is_whole
        if not is_whole:
            await self._repair()
            return (await self._inspect())[1].script_known
        if time.monotonic() >= self._replay_at:
            await self._replay(facts)
        return True

    def _measure(self, facts: LedgerFacts) -> None:
        oldest_ms = facts.oldest_unprojected_ms
        late = oldest_ms is not None and oldest_ms <= self._settled_ms()
        self._series.backlog.set(facts.unprojected if late else 0)
        self._series.oldest.set(oldest_ms / 1_000 if late and oldest_ms else 0)

    async def _inspect(self) -> tuple[dict[str, Condition], Inspected, LedgerFacts]:
        """Judge every board by what was known before it was looked at."""
        rows, seen = await self._book.read(), self._conditions.seen()
        inspected = await self._inspection.look()
        facts = await self._source.facts()
        conditions = {
            key: judge(
                mark,
                facts.ledger_id,
                facts.last_change,
                [row for row in (rows.get(key), seen.get(key)) if row] if key in rows else [],
            )
            for key, mark in inspected.marks.items()
        }
        self._conditions.judged(conditions)
        return conditions, inspected, facts

    async def _repair(self) -> None:
        lease = await self._book.take_lease()
        if lease is None:
            return
        # Whoever had the lease before may have repaired everything meanwhile.
        conditions, inspected, facts = await self._inspect()
        if inspected.script_known:
            conditions = {k: c for k, c in conditions.items() if c is not Condition.WHOLE}
        if conditions:
            lost = [key for key, found in conditions.items() if found is not Condition.WHOLE]
            if lost and facts.last_change:
                logger.warning("Redis has lost %d boards; rebuilding them", len(lost))
                self._conditions.judged(dict.fromkeys(lost, Condition.BEHIND))
            begun = time.monotonic()
            await self._rebuild.run(lease, facts.ledger_id, conditions, inspected)
            self._conditions.rebuilt(lost, begun)
            await self._inspect()

    async def _replay(self, facts: LedgerFacts) -> None:
        """Write what is marked nowhere, oldest first, until nothing is left or something fails."""
        settled_ms = self._settled_ms()
        started = time.monotonic() - self._settle_seconds
        oldest_ms = facts.oldest_unprojected_ms
        if oldest_ms is None or oldest_ms > settled_ms:
            self._conditions.replayed((), started)
            return
        try:
            while found := await self._source.unprojected(_REPLAYED_AT_ONCE, settled_ms):
                keys = [self._keys.get((one.season, one.board), "") for one in found]
                self._conditions.replayed(set(filter(None, keys)), started)
                if await self._book.take_lease() is None:
                    return
                if not await self._write(found) or LEASE in (await self._source.facts()).holds:
                    raise RedisUnavailable("The boards cannot be written to yet.")
        except _FAILURES:
            self._pause_seconds = min(
                _BACKOFF_AT_MOST_SECONDS, max(INTERVAL_SECONDS, 2 * self._pause_seconds)
            )
            self._replay_at = time.monotonic() + self._pause_seconds
            raise
        self._pause_seconds = 0.0
        self._conditions.replayed((), started)

    async def _write(self, found: Sequence[Unprojected]) -> bool:
        """Write these; tell whether all of them arrived and the ledger knows."""
        arrived: list[tuple[str, Written, Sequence[int]]] = []
        for one in found:
            key = self._keys.get((one.season, one.board))
            if key is None:
                self._marking.dismiss(one.changes)
                continue
            written = await self._projection.replay(key, one.standings)
            if written is None:
                return False
            arrived.append((key, written, one.changes))
        # Added in one go, so that no other flush takes a part of them and its result.
        for part in arrived:
            self._marking.add(*part)
        told = await self._marking.flush()
        self._series.replayed.inc(sum(len(some) for key, _, some in arrived if key in told))
        return all(key in told for key, _, _ in arrived)

    def _settled_ms(self) -> int:
        return time.time_ns() // 1_000_000 - int(self._settle_seconds * 1_000)
