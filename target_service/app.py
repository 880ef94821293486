"""Putting the service together."""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, Protocol

from fastapi import FastAPI
from starlette.types import ASGIApp

from target_service import __version__
from target_service.achievements.achievements import OPERATIONS as OPERATIONS_OF_MEMBERS
from target_service.achievements.achievements import Achievements
from target_service.bounded_rank.bounded_rank import BoundedRank
from target_service.cold_routes import OPERATIONS, cold_routes
from target_service.durability import Durability
from target_service.error_handlers import add_error_handlers
from target_service.global_top.read_top import ReadMaterialisedTop
from target_service.global_top.tops import Tops, make_tops
from target_service.hot_routes import Handler, HotRoutes
from target_service.leaderboard.around import ReadAround
from target_service.leaderboard.boards import Boards
from target_service.leaderboard.exact_rank import ExactRank
from target_service.leaderboard.freshness import AlwaysFresh
from target_service.leaderboard.key_commands import KeyCommands
from target_service.leaderboard.partition_top import ReadPartitionTop
from target_service.leaderboard.rank import RankSource, ReadRank
from target_service.leaderboard.rank_limit import RankLimit
from target_service.leaderboard.store import Store
from target_service.leaderboard.submit import Submit
from target_service.leaderboard.submit_batch import SubmitBatch
from target_service.leaderboard.top import ReadTop
from target_service.leaderboard.writer import ProjectionWriter, Writer
from target_service.ledger.protocol import ScoreSource
from target_service.member_counts import MemberCounts
from target_service.metrics import Metrics
from target_service.odometer.odometer import Odometer
from target_service.odometer.without_ledger import refusing
from target_service.openapi import openapi_document
from target_service.projection.disowning import disown
from target_service.projection.ledger_writer import LedgerWriter
from target_service.redis_wire.connection import connector
from target_service.redis_wire.pipeline import Pipeline
from target_service.request_times import RequestTimes, TimedApp
from target_service.settings import Settings, read_settings
from target_service.without_ledger import without_ledger

# A scrape works in a thread; this is how long it may keep the loop waiting at a time.
SWITCH_SECONDS = 0.0005

Job = Callable[[], Coroutine[Any, Any, None]]


class Part(Protocol):
    """A part of the service that lives as long as it does."""

    async def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """End, leaving nothing open."""


def app_from_environment() -> ASGIApp:
    """Return the service that the environment describes; what uvicorn's workers call."""
    # Without this the records of the service's own jobs would go nowhere.
    logging.basicConfig(format="%(levelname)s:     %(message)s")
    logging.getLogger("target_service").setLevel(logging.INFO)
    app = create_app(read_settings())
    sys.setswitchinterval(SWITCH_SECONDS)
    # What the imports made lives as long as the process: no collection needs to visit it.
    gc.collect()
    gc.freeze()
    return app


def create_app(settings: Settings) -> ASGIApp:
    """Return the service as one ASGI app."""
    metrics = Metrics()
    boards = Boards(settings)
    metrics.service.partitions.set(len(boards.of()))
    metrics.service.info.labels(settings.mode, settings.ledger, __version__).set(1)
    connect = connector(settings.redis_url, settings.redis_timeout_seconds)
    pipeline = Pipeline(connect, settings.redis_timeout_seconds)
    commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}
    durability = (
        None if settings.ledger == "none" else Durability(settings, boards, pipeline, metrics)
    )
    odometer = None if settings.ledger == "none" else Odometer(settings, pipeline, metrics)
    achievements = None if settings.ledger == "none" else Achievements(settings, pipeline, metrics)
    jobs: list[Job] = [MemberCounts(boards, pipeline, metrics).keep]
    if durability is None:
        jobs.append(partial(disown, pipeline, boards.keys_of()))
        store = Store(boards, boards.by_path(), commands, pipeline, AlwaysFresh())
        writer: Writer = ProjectionWriter(store, metrics)
    else:
        versions = durability.board_versions
        store = Store(boards, boards.by_path(), commands, pipeline, durability.freshness, versions)
        writer = LedgerWriter(store, durability.ledger, durability.projection, metrics)
    ledger = durability.ledger if durability else None
    ranks, followers = _ranks(settings, store, metrics, ledger)
    jobs += followers
    tops = make_tops(settings, store, metrics) if settings.top == "materialised" else None
    if tops is not None:
        jobs.append(tops.keep)
    found = (durability, odometer, achievements, tops)
    parts: list[Part] = [part for part in found if part is not None]
    app = FastAPI(
        title="Hotboard leaderboard",
        version=__version__,
        lifespan=_lifespan(pipeline, jobs, parts),
        redirect_slashes=False,
        redoc_url=None,
    )
    app.include_router(cold_routes(settings, store, metrics, ledger))
    add_error_handlers(app)
    events = odometer.handlers() if odometer else refusing()
    members = achievements.handlers if achievements else without_ledger(OPERATIONS_OF_MEMBERS)
    handlers = (*hot_handlers(store, writer, ranks, tops), *events, *members)
    document = openapi_document([handler.operation for handler in handlers] + [*OPERATIONS])
    app.openapi = lambda: document  # type: ignore[method-assign]  # FastAPI's documented way
    request_times = RequestTimes(metrics)
    return HotRoutes(handlers, TimedApp(app, request_times), request_times)


def _ranks(
    settings: Settings, store: Store, metrics: Metrics, ledger: ScoreSource | None
) -> tuple[Mapping[str, RankSource], Sequence[Job]]:
    """Return the ways to find a rank, and what must run for them."""
    rejected = metrics.service.rank_rejected.inc
    limit = RankLimit(settings.rank_limit / settings.workers, on_rejection=rejected)
    exact = ExactRank(store, limit)
    if ledger is None:
        return {"exact": exact}, ()
    bounded = BoundedRank(store, ledger)
    return {"exact": exact, "bounded": bounded}, bounded.jobs


def hot_handlers(
    store: Store, writer: Writer, ranks: Mapping[str, RankSource], tops: Tops | None
) -> Sequence[Handler]:
    """Return what answers the operations under load."""
    return (
        Submit(store, writer),
        SubmitBatch(store, writer),
        ReadTop(store) if tops is None else ReadMaterialisedTop(store.boards, tops),
        ReadPartitionTop(store),
        ReadAround(store),
        ReadRank(store, ranks),
    )


def _lifespan(
    pipeline: Pipeline, jobs: Sequence[Job], parts: Sequence[Part]
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        pipeline.start()
        for part in parts:
            await part.start()
        tasks = [asyncio.create_task(job()) for job in jobs]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for part in reversed(parts):
            await part.stop()
        await pipeline.stop()

    return lifespan
