"""GET /v1/boards/{region}/{mode}/{season}/top: the first K of one board."""

from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.messages import Entry, PartitionTop, encode
from target_service.leaderboard.path import BOARD, refuse
from target_service.leaderboard.rows import rows
from target_service.leaderboard.rules import K_RANGE
from target_service.leaderboard.store import Store
from target_service.operation import BOARD_PATH, Operation
from target_service.problems import (
    BoardUnavailable,
    InvalidRequest,
    ServiceUnavailable,
    UnknownBoard,
)
from target_service.query import IntegerParameter

QUERY = IntegerQuery("k", IntegerParameter(*K_RANGE, default=10))


class ReadPartitionTop:
    """Reads the first entries of one key."""

    operation: ClassVar = Operation(
        name="partition_top",
        method="GET",
        path=BOARD_PATH + "/top",
        summary="The first K of one board",
        parameters=QUERY.parameters,
        answer=PartitionTop,
        problems=(UnknownBoard, InvalidRequest, ServiceUnavailable, BoardUnavailable),
    )

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, call: Call) -> Answer:
        """Answer with the entries in order."""
        board = self._store.boards_by_path.get(call.segments[BOARD])
        k, _, problems = QUERY.read(call.query)
        if board is None or problems:
            raise refuse(call.segments, problems)
        store, key = self._store, board.key
        commands = (store.commands[key].top(k), *store.marks(key))
        (reply, *marks), as_of = await store.pipeline.run(commands)
        entries = [Entry(player, score) for player, score in rows(reply)]
        recovering = any_behind(store.freshness, (key,), marks, (not entries,))
        return answer(encode(PartitionTop(key, entries, as_of, recovering)))
