"""GET …/players/{player_id}/around: a player's place on one board, and the entries around it."""

from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.key_scripts import AROUND
from target_service.leaderboard.messages import Around, PlacedEntry, encode
from target_service.leaderboard.path import BOARD, PLAYER, read_player, refuse, unknown_player
from target_service.leaderboard.rows import rows
from target_service.leaderboard.rules import WINDOW_RANGE
from target_service.leaderboard.store import Store
from target_service.operation import PLAYER_PATH, Operation
from target_service.problems import (
    BoardUnavailable,
    InvalidRequest,
    ServiceUnavailable,
    UnknownBoard,
    UnknownPlayer,
)
from target_service.query import IntegerParameter

QUERY = IntegerQuery("window", IntegerParameter(*WINDOW_RANGE, default=2))


class ReadAround:
    """Reads one page of one key around a player."""

    operation: ClassVar = Operation(
        name="around",
        method="GET",
        path=PLAYER_PATH + "/around",
        summary="A player's place on one board, and the entries around it",
        parameters=QUERY.parameters,
        answer=Around,
        problems=(
            UnknownBoard,
            UnknownPlayer,
            InvalidRequest,
            ServiceUnavailable,
            BoardUnavailable,
        ),
    )

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, call: Call) -> Answer:
        """Answer with the page, shifted at the edges and never shortened."""
        store = self._store
        board = store.boards_by_path.get(call.segments[BOARD])
        player = read_player(call.segments[PLAYER])
        window, _, problems = QUERY.read(call.query)
        if board is None or player is None or problems:
            raise refuse(call.segments, problems)
        commands = (store.commands[board.key].around(player, window), *store.marks(board.key))
        (reply, *marks), as_of = await AROUND.run(store.pipeline, commands, store.deadline())
        if reply is None:
            await store.freshness.confirm(board.key)
            raise unknown_player(player, board.key)
        rank, first, _, flat = reply
        page = list(rows(flat))
        entries = [PlacedEntry(name, score, first + i) for i, (name, score) in enumerate(page, 1)]
        score = page[rank - first][1]
        recovering = any_behind(store.freshness, (board.key,), marks, (False,))
        around = Around(board.key, player, score, rank + 1, entries, as_of, recovering)
        return answer(encode(around))
