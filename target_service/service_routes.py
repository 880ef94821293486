"""What is asked of the service itself: its description, its health and its metrics."""

import asyncio
import platform

from fastapi import FastAPI
from redis.exceptions import ResponseError
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from target_service import __version__, open_files
from target_service.description import Capabilities, Description, Health, Limits, ServiceFacts
from target_service.http.answers import Answer, answer
from target_service.http.fields import Name
from target_service.leaderboard.store import Store
from target_service.ledger.errors import LedgerError
from target_service.ledger.options import LedgerOptions
from target_service.ledger.protocol import ProjectionSource
from target_service.metrics import Metrics
from target_service.problems import (
    InvalidRequest,
    LedgerUnavailable,
    ServiceUnavailable,
    UnknownBoard,
    refusals,
)
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.packing import pack
from target_service.server_facts import read_server_facts
from target_service.settings import Settings

EXPOSITION = b"text/plain; version=0.0.4; charset=utf-8"
EVENT_IDS_KEPT_SECONDS = int(LedgerOptions().kept_seconds)
_PING = Command(pack("PING"), Uncounted())


def add_service_routes(
    app: FastAPI,
    settings: Settings,
    store: Store,
    metrics: Metrics,
    ledger: ProjectionSource | None,
) -> None:
    """Serve what is asked of the service itself."""

    @app.get(
        "/v1/boards",
        name="describe",
        summary="What this service is, which boards it has, and what it accepts",
        responses=refusals(UnknownBoard, InvalidRequest),
    )
    async def describe(season: Name | None = None) -> Description:
        only = settings.seasons[0] if len(settings.seasons) == 1 else None
        described = season or only
        if described is not None and described not in settings.seasons:
            raise UnknownBoard(f"There is no season {described}.")
        return await _describe(settings, store, described)

    @app.get("/healthz", name="healthz", summary="Whether the process is alive")
    async def healthz() -> Health:
        return Health("alive")

    @app.get(
        "/readyz",
        name="readyz",
        summary="Whether Redis and the ledger answer",
        responses=refusals(ServiceUnavailable, LedgerUnavailable),
    )
    async def readyz() -> Health:
        try:
            await store.pipeline.run((_PING,))
        except (RedisUnavailable, ResponseError) as error:
            raise ServiceUnavailable.of(error) from error
        if ledger is not None:
            try:
                await asyncio.wait_for(ledger.facts(), store.pipeline.timeout_seconds)
            except (LedgerError, TimeoutError) as error:
                raise LedgerUnavailable(str(error) or "The ledger took too long.") from error
        return Health("ready")

    @app.get(
        "/metrics",
        name="metrics",
        summary="All counters, for Prometheus",
        response_model=None,
        response_class=PlainTextResponse,
    )
    async def exposition() -> Answer:
        # Merging several workers' files takes milliseconds, in which the loop should turn.
        return answer(await run_in_threadpool(metrics.exposition), media_type=EXPOSITION)


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
