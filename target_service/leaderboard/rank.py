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
        self._default = next(iter(sources.values()))
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
        values, problems = read_query(call.query, self._parameters)
        if board is None or player is None or problems:
            raise refuse(call.segments, problems)
        chosen = values.get("consistency")
        source = self._default if chosen is None else self._sources[str(chosen)]
        return answer(encode(await source.read(board, player)))
