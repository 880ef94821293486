"""GET …/players/{id}/around: a player's place on one board, and the entries around it."""

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.key_scripts import AROUND
from target_service.leaderboard.messages import WINDOW_RANGE, PlacedEntry, encode
from target_service.leaderboard.messages import Around as AroundAnswer
from target_service.leaderboard.path import BOARD, PLAYER, read_player, refuse
from target_service.leaderboard.rows import rows
from target_service.leaderboard.store import Store
from target_service.leaderboard.unknown import unknown_player

WINDOW_QUERY = IntegerQuery("window", 2, WINDOW_RANGE)


class Around:
    """Reads one page of one key around a player."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, call: Call) -> Answer:
        """Answer with the page, shifted at the edges and never shortened."""
        store = self._store
        board = store.boards_by_path.get(call.segments[BOARD])
        player = read_player(call.segments[PLAYER])
        window, problems, _ = WINDOW_QUERY.read(call.query)
        if board is None or player is None or problems:
            raise refuse(call.segments, problems)
        command = store.commands[board.key].around(player, window)
        (reply,), as_of = await AROUND.run(store.pipeline, command, store.deadline())
        if reply is None:
            raise unknown_player(player, board.key)
        rank, _, flat = reply
        found = list(rows(flat))
        index = next(i for i, (name, _) in enumerate(found) if name == player)
        first = rank + 1 - index
        entries = [PlacedEntry(name, score, first + i) for i, (name, score) in enumerate(found)]
        return answer(
            encode(
                AroundAnswer(
                    board=board.key,
                    player=player,
                    score=found[index][1],
                    position=rank + 1,
                    entries=entries,
                    as_of=as_of,
                )
            )
        )
