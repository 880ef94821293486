"""The global rank counted on every key of the season."""

from target_service.leaderboard.boards import Board
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.key_scripts import STANDING
from target_service.leaderboard.messages import Rank
from target_service.leaderboard.path import unknown_player
from target_service.leaderboard.rank_error import IN_ONE_STEP, rank_error
from target_service.leaderboard.rank_limit import RankLimit
from target_service.leaderboard.store import Store
from target_service.redis_wire.command import Reply


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
                await store.freshness.find(look_at)
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
