"""The routes that nobody hurries: the service's description, its health and its metrics."""

import platform

from fastapi import APIRouter
from redis.exceptions import ResponseError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from target_service import __version__
from target_service.leaderboard.fields import NAME_RULE
from target_service.leaderboard.messages import (
    Capabilities,
    Description,
    Health,
    Limits,
    RedisFacts,
    ServiceFacts,
    encode,
)
from target_service.leaderboard.store import Store
from target_service.metrics import Metrics
from target_service.problems import InvalidRequest, ServiceUnavailable, UnknownBoard
from target_service.query import PatternParameter, read_query
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.packing import pack
from target_service.server_facts import read_server_facts
from target_service.settings import Settings

JSON = "application/json"
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
PARAMETERS = {"season": PatternParameter(r"[a-z0-9-]{1,32}", NAME_RULE)}
_PING = Command(pack("PING"), Uncounted())


def cold_routes(settings: Settings, store: Store, metrics: Metrics) -> APIRouter:
    """Return the router of the cold routes."""
    router = APIRouter()

    @router.get("/v1/boards", name="describe")
    async def describe(request: Request) -> Response:
        """Tell what this service is, which boards it has, and what it accepts."""
        values, problems = read_query(request.scope["query_string"], PARAMETERS)
        if problems:
            raise InvalidRequest(problems)
        season = values.get("season")
        if season is not None and season not in settings.seasons:
            raise UnknownBoard(f"There is no season {season}.")
        description = await _describe(settings, store, None if season is None else str(season))
        return Response(encode(description), media_type=JSON)

    @router.get("/healthz", name="healthz")
    async def healthz() -> Response:
        """Tell that the process is alive."""
        return Response(encode(Health("alive")), media_type=JSON)

    @router.get("/readyz", name="readyz")
    async def readyz() -> Response:
        """Tell whether Redis answers."""
        try:
            await store.pipeline.run((_PING,))
        except (RedisUnavailable, ResponseError) as error:
            raise ServiceUnavailable(str(error)) from error
        return Response(encode(Health("ready")), media_type=JSON)

    @router.get("/metrics", name="metrics")
    async def exposition() -> Response:
        """Tell all counters; in a thread, since merging several workers' files takes a while."""
        return Response(await run_in_threadpool(metrics.exposition), media_type=EXPOSITION)

    return router


async def _describe(settings: Settings, store: Store, asked: str | None) -> Description:
    season = settings.seasons[0] if asked is None and len(settings.seasons) == 1 else asked
    boards = store.boards.of(season)
    return Description(
        mode=settings.mode,
        ledger=settings.ledger,
        season=season,
        regions=settings.regions,
        modes=settings.modes,
        seasons=settings.seasons,
        partitions=[board.partition for board in boards],
        keys=list(store.boards.keys_of(season)),
        boards={board.partition: board.key for board in boards},
        capabilities=Capabilities(),
        limits=Limits(),
        redis=await _redis_facts(store),
        service=ServiceFacts(__version__, platform.python_version(), settings.workers),
    )


async def _redis_facts(store: Store) -> RedisFacts | None:
    try:
        return await read_server_facts(store.pipeline)
    except (RedisUnavailable, ResponseError):
        return None
