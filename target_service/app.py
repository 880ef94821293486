"""Putting the service together."""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from target_service import __version__
from target_service.achievements import achievements
from target_service.achievements.achievements import Achievements
from target_service.cold_routes import OPERATIONS, cold_routes
from target_service.docs_page import docs_routes
from target_service.error_handlers import add_error_handlers
from target_service.gate import Gate
from target_service.hot_routes import HotRoutes
from target_service.leaderboard_system import make_leaderboard
from target_service.metrics import Metrics
from target_service.odometer import odometer
from target_service.odometer.odometer import Odometer
from target_service.openapi import openapi_document
from target_service.operation import Operation
from target_service.part import System
from target_service.redis_wire.connection import connector
from target_service.redis_wire.pipeline import Pipeline
from target_service.request_times import RequestTimes, TimedApp
from target_service.settings import Settings, read_settings
from target_service.without_ledger import Refuse

# A scrape works in a thread; this is how long it may keep the loop waiting at a time.
SWITCH_SECONDS = 0.0005


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
    metrics.service.info.labels(settings.mode, settings.ledger, __version__).set(1)
    connect = connector(settings.redis_url, settings.redis_timeout_seconds)
    pipeline = Pipeline(
        connect, settings.redis_timeout_seconds, took=metrics.commands.pipeline_seconds.inc
    )
    leaderboard = make_leaderboard(settings, pipeline, metrics)
    systems = (
        leaderboard.system,
        _kept_in_ledger(Odometer, odometer.OPERATIONS, settings, pipeline, metrics),
        _kept_in_ledger(Achievements, achievements.OPERATIONS, settings, pipeline, metrics),
    )
    app = FastAPI(
        title="Hotboard leaderboard",
        version=__version__,
        lifespan=_lifespan(pipeline, systems),
        redirect_slashes=False,
        redoc_url=None,
        docs_url=None,
    )
    app.include_router(docs_routes(app.title))
    app.include_router(cold_routes(settings, leaderboard.store, metrics, leaderboard.ledger))
    add_error_handlers(app)
    handlers = [handler for system in systems for handler in system.handlers]
    document = openapi_document([handler.operation for handler in handlers] + [*OPERATIONS])
    app.openapi = lambda: document  # type: ignore[method-assign]  # FastAPI's documented way
    request_times = RequestTimes(metrics)
    return HotRoutes(handlers, TimedApp(app, request_times), request_times, Gate(settings))


def _kept_in_ledger(
    make: Callable[[Settings, Pipeline, Metrics], Odometer | Achievements],
    operations: Sequence[Operation],
    settings: Settings,
    pipeline: Pipeline,
    metrics: Metrics,
) -> System:
    """Return a system that lives in the ledger; without one each operation says what it lacks."""
    if settings.ledger == "none":
        return System([Refuse(operation) for operation in operations])
    part = make(settings, pipeline, metrics)
    return System(part.handlers, (part,))


def _lifespan(
    pipeline: Pipeline, systems: Sequence[System]
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    parts = [part for system in systems for part in system.parts]
    jobs = [job for system in systems for job in system.jobs]

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
