"""GET /v1/boards/{region}/{mode}/{season}/top: the first K of one board."""

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.messages import K_RANGE, Entry, PartitionTop, encode
from target_service.leaderboard.path import BOARD, refuse
from target_service.leaderboard.rows import rows
from target_service.leaderboard.store import Store

K_QUERY = IntegerQuery("k", 10, K_RANGE)


class BoardTop:
    """Reads the first entries of one key."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, call: Call) -> Answer:
        """Answer with the entries in order."""
        board = self._store.boards_by_path.get(call.segments[BOARD])
        k, problems, _ = K_QUERY.read(call.query)
        if board is None or problems:
            raise refuse(call.segments, problems)
        command = self._store.commands[board.key].top(k)
        (reply,), as_of = await self._store.pipeline.run((command,))
        entries = [Entry(player, score) for player, score in rows(reply)]
        return answer(encode(PartitionTop(board.key, entries, as_of)))
