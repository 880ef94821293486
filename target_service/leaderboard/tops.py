"""The first K: over all partitions of a season, live or materialised, and of one board."""

from typing import TYPE_CHECKING, Any, Literal

from fastapi import FastAPI

from target_service.http.answers import (
    JSON,
    Answer,
    Count,
    Document,
    Timestamp,
    answer,
    encode,
)
from target_service.http.fields import K, Name
from target_service.http.problems import (
    BoardUnavailable,
    InvalidRequest,
    ServiceUnavailable,
    TopUnavailable,
    UnknownBoard,
    refusals,
)
from target_service.leaderboard.boards import BOARD_PATH, any_behind, global_board
from target_service.leaderboard.entries import Entry, GlobalEntry, merge, rows
from target_service.leaderboard.key_commands import Store
from target_service.leaderboard.materialised_top import Tops
from target_service.timestamps import rfc3339

if TYPE_CHECKING:
    from target_service.redis.commands import Command

DEFAULT_K = 10


class Top(Document, frozen=True, omit_defaults=True):
    """The first entries over all partitions of a season."""

    board: str
    season: str
    k: int
    entries: list[GlobalEntry]
    as_of: Timestamp
    source: Literal["live", "materialised"]
    candidates: Count
    recovering: bool = False


class PartitionTop(Document, frozen=True, omit_defaults=True):
    """The first entries of one board."""

    board: str
    entries: list[Entry]
    as_of: Timestamp
    recovering: bool = False


def add_top_routes(app: FastAPI, store: Store, tops: Tops | None) -> None:
    """Serve the tops; the global one from the copies of `tops`, where there are any."""
    unavailable = (ServiceUnavailable, BoardUnavailable) if tops is None else (TopUnavailable,)
    seasons = store.boards.seasons
    # While only one is active it need not be named.
    only_season: Any = seasons[0] if len(seasons) == 1 else ...
    # The commands of one k never change, and there are at most a thousand of each.
    commands: dict[tuple[str, int], list[Command]] = {}

    @app.get(
        "/v1/top",
        name="top",
        summary="The first K over all partitions of a season",
        response_model=Top,
        responses=refusals(UnknownBoard, InvalidRequest, *unavailable),
    )
    async def top(k: K = DEFAULT_K, season: Name = only_season) -> Answer | Top:
        if season not in seasons:
            raise UnknownBoard(f"There is no season {season}; GET /v1/boards lists them.")
        if tops is None:
            return await live_top(k, season)
        return await materialised_top(tops, k, season)

    async def live_top(k: int, season: str) -> Top:
        keys = store.boards.keys_of(season)
        reads = commands.get((season, k))
        if reads is None:
            reads = [store.commands[key].top(k) for key in keys] + store.marks(*keys)
            commands[season, k] = reads
        found, as_of = await store.pipeline.run(reads)
        replies, marks = found[: len(keys)], found[len(keys) :]
        entries, candidates = merge(zip(keys, replies, strict=True), k)
        empty = [not reply for reply in replies]
        recovering = any_behind(store.freshness, keys, marks, empty)
        return Top(global_board(season), season, k, entries, as_of, "live", candidates, recovering)

    @app.get(
        BOARD_PATH + "/top",
        name="partition_top",
        summary="The first K of one board",
        responses=refusals(UnknownBoard, InvalidRequest, ServiceUnavailable, BoardUnavailable),
    )
    async def partition_top(
        region: Name, mode: Name, season: Name, k: K = DEFAULT_K
    ) -> PartitionTop:
        key = store.boards.find(region, mode, season).key
        reads = (store.commands[key].top(k), *store.marks(key))
        (reply, *marks), as_of = await store.pipeline.run(reads)
        entries = [Entry(player, score) for player, score in rows(reply)]
        recovering = any_behind(store.freshness, (key,), marks, (not entries,))
        return PartitionTop(key, entries, as_of, recovering)


async def materialised_top(tops: Tops, k: int, season: str) -> Answer:
    """Answer from the worker's copy without asking Redis, however old it is."""
    made = await tops.current(season)
    if made is None:
        raise TopUnavailable(season)
    top = Top(
        board=global_board(season),
        season=season,
        k=k,
        entries=made.entries[:k],
        as_of=rfc3339(made.as_of_us // 1_000),
        source="materialised",
        candidates=made.candidates,
        recovering=made.recovering,
    )
    age_seconds = made.age_seconds()
    # An age that nobody can tell is none, and not zero.
    age = () if age_seconds is None else ((b"age", str(int(age_seconds)).encode()),)
    return answer(encode(top), 200, JSON, age)
