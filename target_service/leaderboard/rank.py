"""GET …/players/{id}/rank: the global competition rank."""

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.key_scripts import STANDING
from target_service.leaderboard.messages import Rank as RankAnswer
from target_service.leaderboard.messages import encode
from target_service.leaderboard.path import BOARD, PLAYER, read_player, refuse
from target_service.leaderboard.store import Store
from target_service.leaderboard.unknown import unknown_player
from target_service.query import ChoiceParameter, read_query

PARAMETERS = {"consistency": ChoiceParameter(("exact",))}


class Rank:
    """Counts the players with a strictly greater score over every key of the season.

    Score, place and count on the own key come from one script, so a player's own change between
    two commands cannot count the player above themself.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._others = {
            board.key: [
                store.commands[key]
                for key in store.boards.keys_of(board.season)
                if key != board.key
            ]
            for board in store.boards.of()
        }

    async def __call__(self, call: Call) -> Answer:
        """Answer with 1 + the players above, and the ordinal place on the own board."""
        store = self._store
        board = store.boards_by_path.get(call.segments[BOARD])
        player = read_player(call.segments[PLAYER])
        _, problems = read_query(call.query, PARAMETERS)
        if board is None or player is None or problems:
            raise refuse(call.segments, problems)
        deadline = store.deadline()
        standing = store.commands[board.key].standing(player)
        (reply,), as_of = await STANDING.run(store.pipeline, standing, deadline)
        if reply is None:
            raise unknown_player(player, board.key)
        score, above, place = reply
        others = self._others[board.key]
        if others:
            commands = [key.count_above(score) for key in others]
            counts, _ = await store.pipeline.run(commands, deadline)
            above += sum(counts)
        is_snapshot = not others
        return answer(
            encode(
                RankAnswer(
                    board=board.key,
                    player=player,
                    score=int(float(score)),
                    rank=above + 1,
                    board_position=place + 1,
                    keys_read=1 + len(others),
                    exact=True if is_snapshot else None,
                    max_rank_error=0 if is_snapshot else None,
                    as_of=as_of,
                )
            )
        )
