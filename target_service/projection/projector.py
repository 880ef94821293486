"""Keeps the boards in Redis equal to the ledger."""

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import suppress

from redis.exceptions import ResponseError

from target_service.ledger.errors import LedgerError
from target_service.ledger.events import LedgerFacts
from target_service.ledger.protocol import ProjectionSource
from target_service.metrics import LedgerSeries
from target_service.projection.inspection import Condition, Conditions, Inspected, Inspection, judge
from target_service.projection.quarantine import Quarantine
from target_service.projection.rebuild import ProjectorPaused, Rebuild
from target_service.projection.replay import Replay
from target_service.projection.state import LEASE, ProjectionState
from target_service.redis.commands import RedisUnavailable

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 0.25
_FAILURES = (LedgerError, RedisUnavailable, ResponseError, ProjectorPaused)


class Projector:
    """Checks the boards four times a second, rebuilds lost ones, replays missing changes.

    Every worker checks; the one with the lease repairs. Two at once would only do the work twice:
    a guarded write keeps the newer version. A board that Redis refuses is in quarantine for a
    while, and the others go on.
    """

    def __init__(
        self,
        source: ProjectionSource,
        state: ProjectionState,
        inspection: Inspection,
        conditions: Conditions,
        rebuild: Rebuild,
        replay: Replay,
        quarantine: Quarantine,
        series: LedgerSeries,
    ) -> None:
        self._source = source
        self._state = state
        self._inspection = inspection
        self._conditions = conditions
        self._rebuild = rebuild
        self._replay = replay
        self._quarantine = quarantine
        self._series = series

    async def keep(self) -> None:
        """Check and repair for ever; after a failure, try again."""
        while True:
            try:
                await self.check_boards()
            except _FAILURES:
                pass
            except Exception:
                logger.exception("The projector failed; it goes on")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._conditions.doubted.wait(), INTERVAL_SECONDS)
                # Many doubts at once need one check.
                await asyncio.sleep(INTERVAL_SECONDS / 5)
            self._conditions.doubted.clear()

    async def check_boards(self) -> bool:
        """Check and repair once; tell whether nothing is left to do."""
        facts = await self._source.facts()
        self._replay.measure(facts)
        conditions, inspected, _ = await self._inspect()
        to_repair = self._to_repair(conditions, inspected)
        if LEASE in facts.paused_jobs:
            return not to_repair
        if to_repair:
            await self._repair()
            conditions, inspected, _ = await self._inspect()
        if inspected.script_known:
            await self._replay.run(facts, _unready(conditions))
        return inspected.script_known

    async def _inspect(self) -> tuple[dict[str, Condition], Inspected, LedgerFacts]:
        """Judge every board by what was known before its mark was read."""
        rows, seen = await self._state.read_progress(), self._conditions.progress()
        inspected = await self._inspection.read_marks()
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
        for key, error in inspected.refused.items():
            # Nothing is known of the board, so nothing is done to it.
            conditions[key] = Condition.BEHIND
            self._quarantine.add(key, error)
        self._conditions.update(conditions)
        self._series.unready.set(len(_unready(conditions) | self._quarantine.keys()))
        return conditions, inspected, facts

    def _to_repair(
        self, conditions: Mapping[str, Condition], inspected: Inspected
    ) -> dict[str, Condition]:
        """The boards that are not whole; all of them where the guard script has to be loaded."""
        if not inspected.script_known:
            # Writes go on once the script is loaded, so boards in quarantine begin a new epoch too.
            return dict(conditions)
        left_alone = self._quarantine.keys()
        return {key: conditions[key] for key in _unready(conditions) - left_alone}

    async def _repair(self) -> None:
        lease = await self._state.take_lease()
        if lease is None:
            return
        # The previous owner of the lease may have repaired everything meanwhile.
        conditions, inspected, facts = await self._inspect()
        to_repair = self._to_repair(conditions, inspected)
        if not to_repair:
            return
        lost = _unready(to_repair)
        if lost and facts.last_change:
            logger.warning("Redis has lost %d boards; rebuilding them", len(lost))
            self._conditions.update(dict.fromkeys(lost, Condition.BEHIND))
        begun = time.monotonic()
        refused = await self._rebuild.run(lease, facts.ledger_id, to_repair, inspected)
        for key, error in refused.items():
            self._quarantine.add(key, error)
        for key in to_repair.keys() - refused.keys():
            self._quarantine.release(key)
        self._conditions.rebuilt(lost - refused.keys(), begun)


def _unready(conditions: Mapping[str, Condition]) -> frozenset[str]:
    return frozenset(key for key, found in conditions.items() if found is not Condition.WHOLE)
