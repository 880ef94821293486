"""Exact global ranks: how they are counted, how far off they can be, and how many a second."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from target_service.http.answers import Count, Document, Place, Timestamp
from target_service.http.problems import RankLimited, UnknownPlayer
from target_service.leaderboard.boards import Board, any_behind
from target_service.leaderboard.key_commands import STANDING, Store
from target_service.redis.commands import Reply

BURST_SECONDS = 0.125
LINE_SECONDS = 0.25


class Rank(Document, frozen=True, omit_defaults=True):
    """A player's global competition rank; `exact` is null when nothing can prove or refute it.

    The place on the board comes with a rank that read the boards, the number of all players with
    one that counted them.
    """

    board: str
    player: str
    score: int
    rank: Place
    keys_read: Count
    exact: bool | None
    max_rank_error: Count | None
    as_of: Timestamp
    board_position: Place | None = None
    total: Place | None = None
    recovering: bool = False


def unknown_player(player: str, board: str) -> UnknownPlayer:
    """Return the refusal of a player without a score, who has no rank and surely not the first."""
    return UnknownPlayer(f"Player {player} has no score on board {board}.")


class RankLimit:
    """Gives turns at an even rate, those unused in the last eighth of a second at once.

    Whoever comes while the next turn is less than a quarter of a second away waits for it, which
    bounds the line; whoever comes later is refused and told when to come back. It is the generic
    cell rate algorithm: all there is to remember is when the next turn is free.
    """

    def __init__(
        self,
        per_second: float,
        on_rejection: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._turn_seconds = 1 / per_second
        # The turn taken now is one of the burst.
        self._kept_seconds = max(BURST_SECONDS - self._turn_seconds, 0.0)
        self._on_rejection = on_rejection
        self._clock = clock
        self._free_at = -math.inf

    async def turn(self) -> None:
        """Wait for a turn; raises RankLimited when the line is full."""
        wait_seconds = self.take()
        if wait_seconds > 0:
            await asyncio.sleep(wait_seconds)

    def take(self) -> float:
        """Take the next turn, and return how many seconds it is away."""
        now = self._clock()
        free_at = max(self._free_at, now - self._kept_seconds)
        wait_seconds = max(0.0, free_at - now)
        if wait_seconds > LINE_SECONDS:
            self._on_rejection()
            after_seconds = math.ceil(wait_seconds - LINE_SECONDS)
            raise RankLimited(
                f"A worker computes {self._per_second:g} exact ranks a second and more are asked "
                f"for; come back in {after_seconds} s.",
                after_seconds,
            )
        self._free_at = free_at + self._turn_seconds
        return wait_seconds


class RankError(NamedTuple):
    """Whether the rank is exact, and else by how much it can be off; None: nothing can tell."""

    exact: bool | None
    at_most: int | None


IN_ONE_STEP = RankError(exact=True, at_most=0)
UNTOLD = RankError(exact=None, at_most=None)


def rank_error(before: Sequence[Reply], after: Sequence[Reply]) -> RankError:
    """Compare the boards' versions from before the first read and after the last one.

    A version is the board's epoch and the members written in it. Each member written between can
    have moved one player past the score in question; in a new epoch nobody counted them.
    """
    if not before or any(
        old[0] is None or old[0] != new[0] for old, new in zip(before, after, strict=True)
    ):
        return UNTOLD
    moved = sum(int(new[1] or 0) - int(old[1] or 0) for old, new in zip(before, after, strict=True))
    return RankError(exact=moved == 0, at_most=moved)


class ExactRank:
    """Counts the players with a strictly greater score over every key of the season.

    Score, count and place on the own key come from one script, so a player's own change between
    two commands cannot count the player above themself. The other keys are counted afterwards.
    Versions of all keys, read before the first and after the last of it, tell how much changed
    meanwhile; without versions nothing does, so `exact` stays open.
    """

    def __init__(self, store: Store, limit: RankLimit) -> None:
        self._store = store
        self._limit = limit
        self._others = {
            (board.season, board.key): [
                key for key in store.boards.keys_of(board.season) if key != board.key
            ]
            for board in store.boards.of()
        }

    async def read(self, board: Board, player: str) -> Rank:
        """Return 1 + the players above, and the ordinal place on the own board."""
        store = self._store
        await self._limit.turn()
        deadline = store.deadline()
        keys = store.boards.keys_of(board.season)
        versions = store.marks(*keys)
        standing = store.commands[board.key].standing(player)
        (*before, reply), as_of = await STANDING.run(
            store.pipeline, (*versions, standing), deadline
        )
        if reply is None:
            await store.freshness.confirm(board.key)
            raise unknown_player(player, board.key)
        score, above, place = reply
        others = self._others[board.season, board.key]
        error, marks = IN_ONE_STEP, before
        if others:
            counts = [store.commands[key].count_above(score) for key in others]
            replies, _ = await store.pipeline.run((*counts, *versions), deadline)
            found, marks = replies[: len(others)], replies[len(others) :]
            above += sum(found)
            error = rank_error(before, marks)
            # Nobody above, or nobody there any more.
            none_above = {key for key, one in zip(others, found, strict=True) if not one}
            marked = zip(keys, marks, strict=True) if marks else ()
            if look_at := [key for key, mark in marked if key in none_above and _has_any(mark)]:
                await store.freshness.require_whole(look_at)
        recovering = any_behind(store.freshness, keys, marks, [False] * len(keys))
        return Rank(
            board=board.key,
            player=player,
            score=int(float(score)),
            rank=above + 1,
            keys_read=1 + len(others),
            exact=error.exact,
            max_rank_error=error.at_most,
            as_of=as_of,
            board_position=place + 1,
            recovering=recovering,
        )


def _has_any(mark: Reply) -> bool:
    """Whether a board that is whole has members, by its mark."""
    epoch, writes, ready = mark
    return epoch == ready and int(writes or 0) > 0
