"""The routes that nobody hurries: the service's description, its health and its metrics."""

import asyncio
import platform
from collections.abc import Sequence

from fastapi import APIRouter
from redis.exceptions import ResponseError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from target_service import __version__, open_files
from target_service.description import Capabilities, Description, Health, Limits, ServiceFacts
from target_service.leaderboard.messages import encode
from target_service.leaderboard.store import Store
from target_service.ledger.errors import LedgerError
from target_service.ledger.options import LedgerOptions
from target_service.ledger.protocol import ProjectionSource
from target_service.metrics import Metrics
from target_service.operation import Operation
from target_service.problems import (
    InvalidRequest,
    LedgerUnavailable,
    ServiceUnavailable,
    UnknownBoard,
)
from target_service.query import Parameters, SeasonParameter, read_query
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.packing import pack
from target_service.server_facts import read_server_facts
from target_service.settings import Settings

JSON = "application/json"
GET_OR_HEAD = ["GET", "HEAD"]
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"
EVENT_IDS_KEPT_SECONDS = int(LedgerOptions().kept_seconds)
PARAMETERS: Parameters = {"season": SeasonParameter()}
_PING = Command(pack("PING"), Uncounted())

DESCRIBE = Operation(
    name="describe",
    method="GET",
    path="/v1/boards",
    summary="What this service is, which boards it has, and what it accepts",
    parameters=PARAMETERS,
    answer=Description,
    problems=(UnknownBoard, InvalidRequest),
)
HEALTHZ = Operation("healthz", "GET", "/healthz", "Whether the process is alive", Health)
READYZ = Operation(
    "readyz",
    "GET",
    "/readyz",
    "Whether Redis and the ledger answer",
    Health,
    (ServiceUnavailable, LedgerUnavailable),
)
METRICS = Operation("metrics", "GET", "/metrics", "All counters, for Prometheus", None)
OPERATIONS: Sequence[Operation] = (DESCRIBE, HEALTHZ, READYZ, METRICS)


def cold_routes(
    settings: Settings, store: Store, metrics: Metrics, ledger: ProjectionSource | None
) -> APIRouter:
    """Return the router of the cold routes."""
    router = APIRouter()

    @router.api_route(DESCRIBE.path, methods=GET_OR_HEAD, name=DESCRIBE.name)
    async def describe(request: Request) -> Response:
        """Describe the boards of one season, or of all."""
        values, problems = read_query(request.scope["query_string"], PARAMETERS)
        if problems:
            raise InvalidRequest(problems)
        only = settings.seasons[0] if len(settings.seasons) == 1 else None
        season = values.get("season", only)
        if season is not None and season not in settings.seasons:
            raise UnknownBoard(f"There is no season {season}.")
        description = await _describe(settings, store, None if season is None else str(season))
        return Response(encode(description), media_type=JSON)

    @router.api_route(HEALTHZ.path, methods=GET_OR_HEAD, name=HEALTHZ.name)
    async def healthz() -> Response:
        """Answer while the process is alive."""
        return Response(encode(Health("alive")), media_type=JSON)

    @router.api_route(READYZ.path, methods=GET_OR_HEAD, name=READYZ.name)
    async def readyz() -> Response:
        """Answer while Redis does, and the ledger if there is one."""
        try:
            await store.pipeline.run((_PING,))
        except (RedisUnavailable, ResponseError) as error:
            raise ServiceUnavailable.of(error) from error
        if ledger is not None:
            try:
                await asyncio.wait_for(ledger.facts(), store.pipeline.timeout_seconds)
            except (LedgerError, TimeoutError) as error:
                raise LedgerUnavailable(str(error) or "The ledger took too long.") from error
        return Response(encode(Health("ready")), media_type=JSON)

    @router.api_route(METRICS.path, methods=GET_OR_HEAD, name=METRICS.name)
    async def exposition() -> Response:
        """Answer with every series."""
        # Merging several workers' files takes milliseconds, in which the loop should turn.
        return Response(await run_in_threadpool(metrics.exposition), media_type=EXPOSITION)

    return router


async def _describe(settings: Settings, store: Store, season: str | None) -> Description:
    boards = store.boards.of(season)
    has_ledger = settings.ledger != "none"
    try:
        redis = await read_server_facts(store.pipeline)
    except (RedisUnavailable, ResponseError):
        redis = None
    return Description(
        mode=settings.mode,
        ledger=settings.ledger,
        ledger_sync=settings.ledger_sync if has_ledger else None,
        odometer_reads=settings.odometer_reads if has_ledger else None,
        season=season,
        regions=settings.regions,
        modes=settings.modes,
        seasons=settings.seasons,
        partitions=[board.partition for board in boards],
        keys=list(store.boards.keys_of(season)),
        boards={board.partition: board.key for board in boards},
        capabilities=Capabilities(
            event_dedupe=has_ledger,
            sequences=has_ledger,
            home_partition=has_ledger,
            versions=has_ledger,
            bounded_rank=has_ledger,
            materialised_top=settings.top == "materialised",
            community_events=has_ledger,
            achievements=has_ledger,
        ),
        limits=Limits(
            event_ids_kept_seconds=EVENT_IDS_KEPT_SECONDS if has_ledger else None,
            exact_ranks_per_second=settings.rank_limit,
        ),
        redis=redis,
        service=ServiceFacts(
            __version__, platform.python_version(), settings.workers, open_files.limit()
        ),
    )
