"""GET …/players/{player_id}/rank: the global competition rank."""

from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.key_scripts import STANDING
from target_service.leaderboard.messages import Rank, encode
from target_service.leaderboard.path import BOARD, PLAYER, read_player, refuse, unknown_player
from target_service.leaderboard.rank_error import IN_ONE_STEP, rank_error
from target_service.leaderboard.rank_limit import RankLimit
from target_service.leaderboard.store import Store
from target_service.operation import PLAYER_PATH, Operation
from target_service.problems import (
    BoardUnavailable,
    InvalidRequest,
    RankLimited,
    ServiceUnavailable,
    UnknownBoard,
    UnknownPlayer,
)
from target_service.query import ChoiceParameter, Parameters, read_query

PARAMETERS: Parameters = {"consistency": ChoiceParameter(("exact",))}


class ReadRank:
    """Counts the players with a strictly greater score over every key of the season.

    Score, count and place on the own key come from one script, so a player's own change between
    two commands cannot count the player above themself. The other keys are counted afterwards.
    Versions of all keys, read before the first and after the last of it, tell how much changed
    meanwhile; without versions nothing does, so `exact` stays open.
    """

    operation: ClassVar = Operation(
        name="rank",
        method="GET",
        path=PLAYER_PATH + "/rank",
        summary="A player's global competition rank: 1 + the players with a greater score",
        parameters=PARAMETERS,
        answer=Rank,
        problems=(
            UnknownBoard,
            UnknownPlayer,
            InvalidRequest,
            RankLimited,
            ServiceUnavailable,
            BoardUnavailable,
        ),
    )

    def __init__(self, store: Store, limit: RankLimit) -> None:
        self._store = store
        self._limit = limit
        self._others = {
            (board.season, board.key): [
                store.commands[key]
                for key in store.boards.keys_of(board.season)
                if key != board.key
            ]
            for board in store.boards.of()
        }
        self._versions = {
            season: [
                store.board_versions[key]
                for key in store.boards.keys_of(season)
                if key in store.board_versions
            ]
            for season in store.boards.seasons
        }

    async def __call__(self, call: Call) -> Answer:
        """Answer with 1 + the players above, and the ordinal place on the own board."""
        store = self._store
        board = store.boards_by_path.get(call.segments[BOARD])
        player = read_player(call.segments[PLAYER])
        _, problems = read_query(call.query, PARAMETERS)
        if board is None or player is None or problems:
            raise refuse(call.segments, problems)
        await self._limit.turn()
        deadline = store.deadline()
        versions = self._versions[board.season]
        standing = store.commands[board.key].standing(player)
        (*before, reply), as_of = await STANDING.run_after(
            store.pipeline, versions, standing, deadline
        )
        if reply is None:
            await store.freshness.confirm(board.key)
            raise unknown_player(player, board.key)
        score, above, place = reply
        others = self._others[board.season, board.key]
        error = IN_ONE_STEP
        if others:
            counts = [key.count_above(score) for key in others]
            replies, _ = await store.pipeline.run((*counts, *versions), deadline)
            above += sum(replies[: len(others)])
            error = rank_error(before, replies[len(others) :])
        recovering = any_behind(store.freshness, store.boards.keys_of(board.season))
        return answer(
            encode(
                Rank(
                    board=board.key,
                    player=player,
                    score=int(float(score)),
                    rank=above + 1,
                    board_position=place + 1,
                    keys_read=1 + len(others),
                    exact=error.exact,
                    max_rank_error=error.at_most,
                    as_of=as_of,
                    recovering=recovering,
                )
            )
        )
