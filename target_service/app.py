"""Putting the service together."""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import cast

from fastapi import FastAPI
from starlette.types import ASGIApp

from target_service import __version__
from target_service.achievements.achievements import Achievements
from target_service.achievements.routes import add_achievement_routes
from target_service.http.docs_page import add_docs_routes
from target_service.http.gate import Gate
from target_service.http.service import Requests, Service
from target_service.leaderboard.leaderboard import Leaderboard
from target_service.metrics import Metrics
from target_service.odometer.odometer import Odometer
from target_service.odometer.routes import add_event_routes
from target_service.part import Job, Part
from target_service.redis.connection import connector
from target_service.redis.pipeline import Pipeline
from target_service.service_routes import add_service_routes
from target_service.settings import Settings, read_settings

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


def create_app(settings: Settings) -> FastAPI:
    """Return the service."""
    metrics = Metrics()
    metrics.service.info.labels(settings.mode, settings.ledger, __version__).set(1)
    connect = connector(settings.redis_url, settings.redis_timeout_seconds)
    pipeline = Pipeline(
        connect,
        settings.redis_timeout_seconds,
        observe_seconds=metrics.commands.pipeline_seconds.inc,
    )
    leaderboard = Leaderboard(settings, pipeline, metrics)
    parts: list[Part] = [*leaderboard.parts]
    odometer: Odometer | None = None
    achievements: Achievements | None = None
    if settings.ledger != "none":
        odometer = Odometer(settings, pipeline, metrics)
        achievements = Achievements(settings, pipeline, metrics)
        parts += odometer, achievements
    app = Service(
        Requests(metrics, Gate(settings)),
        title="Hotboard leaderboard",
        version=__version__,
        lifespan=_lifespan(pipeline, parts, leaderboard.jobs),
    )
    # The router tries one route after the other: those under load stand first.
    leaderboard.add_routes(app)
    with app.only_with_ledger(settings):
        add_event_routes(app, cast("Odometer", odometer))
        add_achievement_routes(app, cast("Achievements", achievements))
    add_service_routes(app, settings, leaderboard.store, metrics, leaderboard.ledger)
    add_docs_routes(app)
    return app


def _lifespan(
    pipeline: Pipeline, parts: Sequence[Part], jobs: Sequence[Job]
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
