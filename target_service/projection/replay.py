"""Writing changes again that are not known to have reached their board."""

import time
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from redis.exceptions import NoScriptError, ResponseError

from target_service.leaderboard.boards import Boards
from target_service.ledger.errors import LedgerError
from target_service.ledger.events import Board, LedgerFacts, Unprojected
from target_service.ledger.protocol import ProjectionSource
from target_service.metrics import LedgerSeries
from target_service.projection.ack_tracker import AckTracker
from target_service.projection.inspection import Conditions
from target_service.projection.projection import Projection
from target_service.projection.quarantine import Quarantine
from target_service.projection.state import LEASE, ProjectionState
from target_service.redis.commands import RedisUnavailable
from target_service.timestamps import wall_clock_ms

if TYPE_CHECKING:
    from target_service.projection.guarded_writes import Written

_PAUSE_SECONDS = 0.25
_MAX_PAUSE_SECONDS = 2.0
_CHANGES_PER_READ = 2_000
# A projected change is marked up to some fifths of a second later.
_ACK_SECONDS = 1.0


class Replay:
    """Replays changes that are not marked projected, oldest first, with pauses after a failure.

    A board that is not whole, or that Redis refuses, keeps its changes for later.
    """

    def __init__(
        self,
        source: ProjectionSource,
        state: ProjectionState,
        conditions: Conditions,
        projection: Projection,
        ack_tracker: AckTracker,
        quarantine: Quarantine,
        boards: Boards,
        series: LedgerSeries,
        redis_seconds: float,
    ) -> None:
        self._source = source
        self._state = state
        self._conditions = conditions
        self._projection = projection
        self._ack_tracker = ack_tracker
        self._quarantine = quarantine
        self._keys: Mapping[Board, str] = {
            Board(board.season, board.partition): board.key for board in boards.of()
        }
        self._series = series
        self._settle_seconds = redis_seconds + _ACK_SECONDS
        self._pause_seconds = 0.0
        self._again_at = 0.0

    def measure(self, facts: LedgerFacts) -> None:
        """Set the gauges of changes that wait longer than a request takes."""
        oldest_ms = facts.oldest_unprojected_ms
        late = oldest_ms is not None and self._is_settled(oldest_ms)
        self._series.backlog.set(facts.unprojected if late else 0)
        self._series.oldest.set(oldest_ms / 1_000 if late and oldest_ms else 0)

    async def run(self, facts: LedgerFacts, unready: Collection[str]) -> None:
        """Write until only changes of `unready` boards are left, or a write fails."""
        if time.monotonic() < self._again_at:
            return
        try:
            if await self._run(facts, unready):
                self._pause_seconds = 0.0
                return
        except (LedgerError, RedisUnavailable, ResponseError):
            self._pause()
            raise
        # Each run passes over the changes that must wait, so it should not run too often.
        self._again_at = time.monotonic() + _MAX_PAUSE_SECONDS

    async def _run(self, facts: LedgerFacts, unready: Collection[str]) -> bool:
        """Write all changes that can be written; tell whether no board is in quarantine."""
        settled_ms = self._settled_ms()
        started = time.monotonic() - self._settle_seconds
        oldest_ms = facts.oldest_unprojected_ms
        if oldest_ms is None or not self._is_settled(oldest_ms):
            self._conditions.replayed((), started)
            return True
        while True:
            passed_over = self._quarantine.keys().union(unready)
            without = [board for board, key in self._keys.items() if key in passed_over]
            found = await self._source.unprojected(_CHANGES_PER_READ, settled_ms, without)
            waiting = {self._keys.get(Board(one.season, one.board), "") for one in found}
            self._conditions.replayed(passed_over.union(filter(None, waiting)), started)
            if not found:
                return not self._quarantine.keys()
            if await self._state.take_lease() is None:
                return True
            if (
                not await self._write_unprojected(found)
                or LEASE in (await self._source.facts()).paused_jobs
            ):
                raise RedisUnavailable("The boards cannot be written to yet.")

    async def _write_unprojected(self, found: Sequence[Unprojected]) -> bool:
        """Write these; tell whether all that Redis takes arrived and were marked."""
        arrived: list[tuple[str, Written, Sequence[int]]] = []
        for one in found:
            key = self._keys.get(Board(one.season, one.board))
            if key is None:
                self._ack_tracker.dismiss(one.changes)
                continue
            try:
                written = await self._projection.replay(key, one.standings)
            except NoScriptError:
                raise
            except ResponseError as error:
                self._quarantine.add(key, error)
                continue
            if written is None:
                return False
            self._quarantine.release(key)
            arrived.append((key, written, one.changes))
        # Added without a pause, so that no other flush takes a part of them and its result.
        for part in arrived:
            self._ack_tracker.add(*part)
        marked = await self._ack_tracker.flush()
        self._series.replayed.inc(sum(len(numbers) for key, _, numbers in arrived if key in marked))
        return all(key in marked for key, _, _ in arrived)

    def _pause(self) -> None:
        self._pause_seconds = min(_MAX_PAUSE_SECONDS, max(_PAUSE_SECONDS, 2 * self._pause_seconds))
        self._again_at = time.monotonic() + self._pause_seconds

    def _is_settled(self, at_ms: int) -> bool:
        """Tell whether no request still writes a change of that time, past or future."""
        return at_ms <= self._settled_ms() or at_ms > wall_clock_ms()

    def _settled_ms(self) -> int:
        return wall_clock_ms() - int(self._settle_seconds * 1_000)
