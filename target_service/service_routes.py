"""What is asked of the service itself: its description, its health and its metrics."""

import asyncio
import platform
from typing import Annotated, Literal

import redis
from fastapi import FastAPI
from msgspec import Meta
from redis.exceptions import ResponseError
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse

from target_service import __version__, open_files
from target_service.http.answers import Answer, Document, answer
from target_service.http.fields import (
    BATCH_EVENTS,
    BODY_BYTES,
    ID_CHARACTERS,
    K_RANGE,
    SCORE_LIMIT,
    SEQUENCE_LIMIT,
    WINDOW_RANGE,
    Name,
)
from target_service.http.problems import (
    InvalidRequest,
    LedgerUnavailable,
    ServiceUnavailable,
    UnknownBoard,
    refusals,
)
from target_service.leaderboard.key_commands import Store
from target_service.ledger.errors import LedgerError
from target_service.ledger.events import LedgerOptions
from target_service.ledger.protocol import ProjectionSource
from target_service.metrics import Metrics
from target_service.redis.commands import Command, RedisUnavailable, Uncounted, pack
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings

Range = Annotated[tuple[int, ...], Meta(min_length=2, max_length=2)]


class Capabilities(Document, frozen=True):
    """What the service can do beyond storing and ranking."""

    event_dedupe: bool = False
    sequences: bool = False
    home_partition: bool = False
    versions: bool = False
    bounded_rank: bool = False
    materialised_top: bool = False
    community_events: bool = False
    achievements: bool = False


class Limits(Document, frozen=True):
    """What the service accepts; ranges include both ends."""

    k: Range = K_RANGE
    window: Range = WINDOW_RANGE
    batch_events: int = BATCH_EVENTS
    id_characters: int = ID_CHARACTERS
    score: Range = (-SCORE_LIMIT, SCORE_LIMIT)
    sequence: Range = (1, SEQUENCE_LIMIT)
    body_bytes: int = BODY_BYTES
    event_ids_kept_seconds: int | None = None
    exact_ranks_per_second: int | None = None


class RedisFacts(Document, frozen=True):
    """What the Redis server says about itself."""

    server: str
    version: str
    redis_version: str
    cluster: bool
    redis_py: str


class ServiceFacts(Document, frozen=True):
    """The versions this process runs, how many workers share the port, and what each may open."""

    version: str
    python: str
    workers: int
    open_files: int | None


class Description(Document, frozen=True):
    """The service, its boards and its limits."""

    mode: Literal["naive", "partitioned"]
    ledger: Literal["sqlite", "none"]
    ledger_sync: Literal["full", "normal"] | None
    odometer_reads: Literal["projected", "direct"] | None
    season: str | None
    regions: tuple[str, ...]
    modes: tuple[str, ...]
    seasons: tuple[str, ...]
    partitions: list[str]
    keys: list[str]
    boards: dict[str, str]
    capabilities: Capabilities
    limits: Limits
    redis: RedisFacts | None
    service: ServiceFacts


class Health(Document, frozen=True):
    """The service is well."""

    status: Literal["alive", "ready"]


UNTOLD = "unknown"
# Two plain calls, because servers before 7.0 answer only one section at a time.
_INFO = [Command(pack("INFO", part), Uncounted()) for part in ("server", "cluster")]


async def read_server_facts(pipeline: Pipeline) -> RedisFacts:
    """Ask the server; Valkey tells its own version beside the one it is compatible to."""
    replies, _ = await pipeline.run(_INFO)
    facts = dict(
        line.split(":", 1) for reply in replies for line in reply.splitlines() if ":" in line
    )
    is_valkey = "valkey_version" in facts
    return RedisFacts(
        server="valkey" if is_valkey else "redis",
        version=facts.get("valkey_version" if is_valkey else "redis_version", UNTOLD),
        redis_version=facts.get("redis_version", UNTOLD),
        cluster=facts.get("cluster_enabled") == "1",
        redis_py=redis.__version__,
    )


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
