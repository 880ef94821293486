"""GET …/players/{player_id}/rank: the global competition rank."""

from collections.abc import Mapping
from typing import Protocol

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.boards import Board
from target_service.leaderboard.messages import Rank, encode
from target_service.leaderboard.path import BOARD, PLAYER, read_player, refuse
from target_service.leaderboard.store import Store
from target_service.operation import PLAYER_PATH, Operation
from target_service.problems import (
    BoardUnavailable,
    FieldProblem,
    InvalidRequest,
    LedgerUnavailable,
    RankLimited,
    ServiceUnavailable,
    UnknownBoard,
    UnknownPlayer,
)
from target_service.query import ChoiceParameter, Parameters, read_query


class RankSource(Protocol):
    """One way to find a player's rank."""

    async def read(self, board: Board, player: str) -> Rank:
        """Return it, or raise a Problem."""


class ReadRank:
    """Answers in the way the client chooses; the first one is the default."""

    def __init__(self, store: Store, sources: Mapping[str, RankSource]) -> None:
        self._boards = store.boards_by_path
        self._sources = sources
        self._default = next(iter(sources))
        # Every usual query as it is sent; any other one is read with care.
        self._plain = {f"consistency={name}".encode(): name for name in sources}
        self._plain[b""] = self._default
        self._parameters: Parameters = {"consistency": ChoiceParameter(tuple(sources))}
        self.operation = Operation(
            name="rank",
            method="GET",
            path=PLAYER_PATH + "/rank",
            summary="A player's global competition rank: 1 + the players with a greater score",
            parameters=self._parameters,
            answer=Rank,
            problems=(
                UnknownBoard,
                UnknownPlayer,
                InvalidRequest,
                RankLimited,
                ServiceUnavailable,
                LedgerUnavailable,
                BoardUnavailable,
            ),
        )

    async def __call__(self, call: Call) -> Answer:
        """Answer with 1 + the players above."""
        board = self._boards.get(call.segments[BOARD])
        player = read_player(call.segments[PLAYER])
        chosen = self._plain.get(call.query)
        problems: list[FieldProblem] = []
        if chosen is None:
            values, problems = read_query(call.query, self._parameters)
            chosen = str(values.get("consistency", self._default))
        if board is None or player is None or problems:
            raise refuse(call.segments, problems)
        return answer(encode(await self._sources[chosen].read(board, player)))
