"""The global rank from this worker's counts, which follow the ledger and cost Redis nothing."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from target_service.http.problems import LedgerUnavailable
from target_service.leaderboard.boards import Board
from target_service.leaderboard.key_commands import Store
from target_service.leaderboard.ranks import Rank, unknown_player
from target_service.leaderboard.score_counts import ScoreCounts
from target_service.ledger.errors import ChangesTrimmed, LedgerBusy, LedgerError
from target_service.ledger.events import Standing
from target_service.ledger.protocol import ScoreSource
from target_service.ledger.reads import ScoreMovesQuery
from target_service.timestamps import rfc3339, wall_clock_ms

logger = logging.getLogger(__name__)

FOLLOW_SECONDS = 0.25
# What the event loop counts at a time: some four milliseconds at most.
CHANGES_AT_ONCE = 500
WAITING_AT_MOST = 1_000
_AGAIN_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Told:
    """A player's rank among the changes counted, and how many were not."""

    standing: Standing
    rank: int
    total: int
    not_counted: int
    as_of_ms: int


class Follower:
    """Counts nothing until somebody asks, and then follows for ever.

    All who ask while one question is on its way to the ledger share the next one. It brings, as
    of one change number, what has moved and where the players stand; so what a rank is told to be
    off by is the number of changes up to that one which are not counted yet, usually none.
    """

    def __init__(
        self,
        source: ScoreSource,
        season: str,
        boards: Sequence[str],
        changes_at_once: int = CHANGES_AT_ONCE,
    ) -> None:
        self._source = source
        self._changes_at_once = changes_at_once
        self._season = season
        self._boards = boards
        self._counts: ScoreCounts | None = None
        self._counted_to = 0
        self._as_of_ms = 0
        self._waiting: dict[asyncio.Future[Told | None], str] = {}
        self._woken = asyncio.Event()

    async def ask(self, player: str, deadline: float) -> Told | None:
        """Return the player's rank, or None without a score.

        Raises LedgerBusy when too many ask, LedgerError when the ledger does not answer, and
        TimeoutError when the deadline passes.
        """
        if len(self._waiting) >= WAITING_AT_MOST:
            raise LedgerBusy(f"{WAITING_AT_MOST:,} bounded ranks already wait for the ledger.")
        future: asyncio.Future[Told | None] = asyncio.get_running_loop().create_future()
        self._waiting[future] = player
        self._woken.set()
        try:
            async with asyncio.timeout_at(deadline):
                return await future
        finally:
            self._waiting.pop(future, None)

    async def keep(self) -> None:
        """Follow for ever, from the first question on; a failure is tried again."""
        while True:
            await self._wait()
            try:
                if self._counts is None:
                    await self._build()
                await self._turn()
            except ChangesTrimmed:
                self._forget()
            except LedgerError as error:
                self._fail(error)
                await asyncio.sleep(_AGAIN_SECONDS)
            except Exception:
                logger.exception("Following the scores failed; they are counted again")
                self._forget()
                await asyncio.sleep(_AGAIN_SECONDS)

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(None if self._counts is None else FOLLOW_SECONDS):
                await self._woken.wait()
        self._woken.clear()

    async def _build(self) -> None:
        as_of_ms = wall_clock_ms()
        self._counts, self._counted_to = await asyncio.to_thread(self._count)
        self._as_of_ms = max(self._as_of_ms, as_of_ms)

    def _count(self) -> tuple[ScoreCounts, int]:
        counts = ScoreCounts()
        with self._source.counted_scores(self._season, self._boards) as counted:
            for page in counted.pages:
                counts.extend(page)
        return counts, counted.change

    async def _turn(self) -> None:
        """Ask the ledger once, count what has moved, and answer all who wait."""
        asking = dict(self._waiting)
        players = list(dict.fromkeys(asking.values()))
        asked_ms = wall_clock_ms()
        moves = await self._source.score_moves(
            ScoreMovesQuery(
                self._season, self._boards, self._counted_to, self._changes_at_once, players
            )
        )
        counts = self._counts
        if counts is None:
            return
        counts.move(moves.new_scores, moves.old_scores)
        self._counted_to = moves.to
        not_counted = moves.last_change - moves.to
        if not_counted:
            self._woken.set()
        else:
            self._as_of_ms = max(self._as_of_ms, asked_ms)
        for future, player in asking.items():
            standing = moves.standings.get(player)
            if future.done():
                continue
            if standing is None:
                future.set_result(None)
                continue
            rank = 1 + counts.above(standing.score)
            future.set_result(Told(standing, rank, counts.players, not_counted, self._as_of_ms))

    def _forget(self) -> None:
        self._counts = None
        self._woken.set()

    def _fail(self, error: LedgerError) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_exception(error)


class BoundedRank:
    """Tells the rank among the changes counted so far, and by how much it can be off.

    Each change moves one player past another's score at most. So the true rank at the moment the
    ledger was asked, which is during the call, differs by no more than the changes not counted.
    The player's own score is the ledger's of that moment.
    """

    def __init__(self, store: Store, source: ScoreSource) -> None:
        self._store = store
        boards = store.boards
        self._keys = {(one.season, one.partition): one.key for one in boards.of()}
        self._followers = {
            season: Follower(source, season, [one.partition for one in boards.of(season)])
            for season in boards.seasons
        }
        self.jobs = [follower.keep for follower in self._followers.values()]

    async def read(self, board: Board, player: str) -> Rank:
        """Return 1 + the players above, and how many there are in all."""
        try:
            told = await self._followers[board.season].ask(player, self._store.deadline())
        except TimeoutError:
            raise LedgerUnavailable(
                "The ledger took too long, or the players are still being counted."
            ) from None
        if told is None or self._keys.get((board.season, told.standing.board)) != board.key:
            raise unknown_player(player, board.key)
        return Rank(
            board=board.key,
            player=player,
            score=told.standing.score,
            rank=told.rank,
            keys_read=0,
            exact=told.not_counted == 0,
            max_rank_error=told.not_counted,
            as_of=rfc3339(told.as_of_ms),
            total=told.total,
        )
