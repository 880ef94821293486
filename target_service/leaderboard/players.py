"""One player among the others: the neighbours on a board, and the global rank."""

from collections.abc import Mapping
from typing import Annotated, Protocol

from fastapi import FastAPI

from target_service.http.answers import Document, Place, Timestamp
from target_service.http.fields import Id, Name, Window, choice
from target_service.http.problems import (
    BoardUnavailable,
    InvalidRequest,
    LedgerUnavailable,
    RankLimited,
    ServiceUnavailable,
    UnknownBoard,
    UnknownPlayer,
    refusals,
)
from target_service.leaderboard.boards import BOARD_PATH, Board, any_behind
from target_service.leaderboard.entries import PlacedEntry, rows
from target_service.leaderboard.key_commands import AROUND, Store
from target_service.leaderboard.ranks import Rank, unknown_player

PLAYER_PATH = BOARD_PATH + "/players/{player_id}"
DEFAULT_WINDOW = 2


class Around(Document, frozen=True, omit_defaults=True):
    """A player's place on one board, and the entries around it."""

    board: str
    player: str
    score: int
    position: Place
    entries: list[PlacedEntry]
    as_of: Timestamp
    recovering: bool = False


class RankSource(Protocol):
    """One way to find a player's rank."""

    async def read(self, board: Board, player: str) -> Rank:
        """Return it, or raise a Problem."""


def add_player_routes(app: FastAPI, store: Store, ranks: Mapping[str, RankSource]) -> None:
    """Serve the reads about one player; the first way to find a rank is the default."""
    default = next(iter(ranks))

    @app.get(
        PLAYER_PATH + "/around",
        name="around",
        summary="A player's place on one board, and the entries around it",
        responses=refusals(
            UnknownBoard, UnknownPlayer, InvalidRequest, ServiceUnavailable, BoardUnavailable
        ),
    )
    async def around(
        region: Name, mode: Name, season: Name, player_id: Id, window: Window = DEFAULT_WINDOW
    ) -> Around:
        board = store.boards.find(region, mode, season)
        reads = (store.commands[board.key].around(player_id, window), *store.marks(board.key))
        (reply, *marks), as_of = await AROUND.run(store.pipeline, reads, store.deadline())
        if reply is None:
            await store.freshness.confirm(board.key)
            raise unknown_player(player_id, board.key)
        rank, first, _, flat = reply
        page = list(rows(flat))
        entries = [PlacedEntry(name, score, first + i) for i, (name, score) in enumerate(page, 1)]
        score = page[rank - first][1]
        recovering = any_behind(store.freshness, (board.key,), marks, (False,))
        return Around(board.key, player_id, score, rank + 1, entries, as_of, recovering)

    @app.get(
        PLAYER_PATH + "/rank",
        name="rank",
        summary="A player's global competition rank: 1 + the players with a greater score",
        responses=refusals(
            UnknownBoard,
            UnknownPlayer,
            InvalidRequest,
            RankLimited,
            ServiceUnavailable,
            LedgerUnavailable,
            BoardUnavailable,
        ),
    )
    async def rank(
        region: Name,
        mode: Name,
        season: Name,
        player_id: Id,
        consistency: Annotated[str, *choice(*ranks)] = default,
    ) -> Rank:
        board = store.boards.find(region, mode, season)
        return await ranks[consistency].read(board, player_id)
