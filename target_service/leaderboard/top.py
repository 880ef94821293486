"""GET /v1/top: the global top K, merged from the first K of every key of the season."""

from collections.abc import Iterable
from itertools import repeat
from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.layout import global_board
from target_service.leaderboard.messages import GlobalEntry, Top, encode
from target_service.leaderboard.store import Store
from target_service.leaderboard.top_query import QUERY, TopQuery
from target_service.operation import Operation
from target_service.problems import (
    BoardUnavailable,
    InvalidRequest,
    ServiceUnavailable,
    UnknownBoard,
)
from target_service.redis_wire.command import Command, Reply


class ReadTop:
    """Reads the first entries over all partitions.

    K candidates per partition suffice: who is below place K there has K players ahead already.
    """

    operation: ClassVar = Operation(
        name="top",
        method="GET",
        path="/v1/top",
        summary="The first K over all partitions of a season",
        parameters=QUERY.parameters,
        answer=Top,
        problems=(UnknownBoard, InvalidRequest, ServiceUnavailable, BoardUnavailable),
    )

    def __init__(self, store: Store) -> None:
        self._store = store
        self._query = TopQuery(store.boards)
        # The commands of one k never change, and there are at most a thousand of each.
        self._commands: dict[tuple[str, int], list[Command]] = {}

    async def __call__(self, call: Call) -> Answer:
        """Answer with the merged entries."""
        k, season, keys = self._query.read(call.query)
        commands = self._commands.get((season, k))
        if commands is None:
            commands = [self._store.commands[key].top(k) for key in keys]
            commands += self._store.marks(*keys)
            self._commands[season, k] = commands
        found, as_of = await self._store.pipeline.run(commands)
        replies, marks = found[: len(keys)], found[len(keys) :]
        entries, candidates = merge(zip(keys, replies, strict=True), k)
        board = global_board(season)
        empty = [not reply for reply in replies]
        recovering = any_behind(self._store.freshness, keys, marks, empty)
        return answer(encode(Top(board, season, k, entries, as_of, "live", candidates, recovering)))


def merge(replies: Iterable[tuple[str, Reply]], k: int) -> tuple[list[GlobalEntry], int]:
    """Return the first k entries of all, and how many were looked at."""
    found: list[tuple[float, str, str]] = []
    for key, reply in replies:
        found.extend(zip(map(float, reply[1::2]), reply[::2], repeat(key), strict=False))
    # Code points order as their UTF-8 bytes do, which is how Redis orders equal scores.
    found.sort(reverse=True)
    first = [GlobalEntry(player, int(score), key) for score, player, key in found[:k]]
    return first, len(found)
