"""GET /v1/top: the global top K, merged from the first K of every key of the season."""

from collections.abc import Iterable
from itertools import repeat
from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.freshness import any_behind
from target_service.leaderboard.integer_query import IntegerQuery
from target_service.leaderboard.messages import GlobalEntry, Top, encode
from target_service.leaderboard.rules import K_RANGE
from target_service.leaderboard.store import Store, global_board
from target_service.operation import Operation
from target_service.problems import (
    BoardUnavailable,
    FieldProblem,
    InvalidRequest,
    ServiceUnavailable,
    UnknownBoard,
)
from target_service.query import IntegerParameter, SeasonParameter, Values
from target_service.redis_wire.command import Command, Reply

QUERY = IntegerQuery("k", IntegerParameter(*K_RANGE, default=10), season=SeasonParameter())


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
        # The commands of one k never change, and there are at most a thousand of each.
        self._commands: dict[tuple[str, int], list[Command]] = {}

    async def __call__(self, call: Call) -> Answer:
        """Answer with the merged entries."""
        k, values, problems = QUERY.read(call.query)
        season = self._season(values)
        if season is None:
            active = ", ".join(self._store.boards.seasons)
            problems.append(FieldProblem("season", f"must be one of {active}: several are active"))
        if season is None or problems:
            raise InvalidRequest(problems)
        keys = self._store.boards.keys_of(season)
        if not keys:
            raise UnknownBoard(f"There is no season {season}; GET /v1/boards lists them.")
        commands = self._commands.get((season, k))
        if commands is None:
            commands = [self._store.commands[key].top(k) for key in keys]
            self._commands[season, k] = commands
        replies, as_of = await self._store.pipeline.run(commands)
        entries, candidates = merge(zip(keys, replies, strict=True), k)
        board = global_board(season)
        if not entries:
            await self._store.freshness.confirm(keys[0])
        recovering = any_behind(self._store.freshness, keys)
        return answer(encode(Top(board, season, k, entries, as_of, "live", candidates, recovering)))

    def _season(self, values: Values) -> str | None:
        seasons = self._store.boards.seasons
        only = seasons[0] if len(seasons) == 1 else None
        season = values.get("season", only)
        return None if season is None else str(season)


def merge(replies: Iterable[tuple[str, Reply]], k: int) -> tuple[list[GlobalEntry], int]:
    """Return the first k entries of all, and how many were looked at."""
    found: list[tuple[float, str, str]] = []
    for key, reply in replies:
        found.extend(zip(map(float, reply[1::2]), reply[::2], repeat(key), strict=False))
    # Code points order as their UTF-8 bytes do, which is how Redis orders equal scores.
    found.sort(reverse=True)
    first = [GlobalEntry(player, int(score), key) for score, player, key in found[:k]]
    return first, len(found)
