"""Putting the service together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from target_service import __version__
from target_service.cold_routes import cold_routes
from target_service.hot_routes import HotRoute, HotRoutes
from target_service.leaderboard.around import Around
from target_service.leaderboard.boards import Boards
from target_service.leaderboard.key_commands import KeyCommands
from target_service.leaderboard.partition_top import BoardTop
from target_service.leaderboard.rank import Rank
from target_service.leaderboard.store import Store
from target_service.leaderboard.submit import Submit
from target_service.leaderboard.submit_batch import SubmitBatch
from target_service.leaderboard.top import GlobalTop
from target_service.leaderboard.writer import ProjectionWriter
from target_service.member_counts import MemberCounts
from target_service.metrics import Metrics
from target_service.problems import (
    InternalError,
    MethodNotAllowed,
    Problem,
    UnknownRoute,
)
from target_service.redis_wire.connection import connector
from target_service.redis_wire.pipeline import Pipeline
from target_service.request_times import RequestTimes, TimedApp
from target_service.settings import Settings, read_settings

BOARD = "/v1/boards/{}/{}/{}"


def app_from_environment() -> ASGIApp:
    """Return the service that the environment describes; what uvicorn's workers call."""
    return create_app(read_settings())


def create_app(settings: Settings) -> ASGIApp:
    """Return the service as one ASGI app."""
    metrics = Metrics()
    boards = Boards(settings)
    metrics.partitions.set(len(boards.of()))
    metrics.info.labels(settings.mode, settings.ledger, __version__).set(1)
    connect = connector(settings.redis_url, settings.redis_timeout_seconds)
    pipeline = Pipeline(connect, settings.redis_timeout_seconds)
    commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}
    store = Store(boards, boards.by_path(), commands, pipeline)
    members = MemberCounts(boards, pipeline, metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        pipeline.start()
        keeper = asyncio.create_task(members.keep())
        yield
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        await pipeline.stop()

    app = FastAPI(
        title="Hotboard leaderboard",
        version=__version__,
        lifespan=lifespan,
        redirect_slashes=False,
        redoc_url=None,
    )
    app.include_router(cold_routes(settings, store, metrics))
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _http_exception)
    app.add_exception_handler(Exception, _failure)
    request_times = RequestTimes(metrics)
    hot = hot_operations(store, metrics)
    return HotRoutes(hot, TimedApp(app, request_times), request_times)


def hot_operations(store: Store, metrics: Metrics) -> list[HotRoute]:
    """Return the operations under load."""
    writer = ProjectionWriter(store, metrics)
    player = BOARD + "/players/{}"
    return [
        HotRoute("submit", "POST", "/v1/scores", Submit(store, writer)),
        HotRoute("submit_batch", "POST", BOARD + "/scores", SubmitBatch(store, writer)),
        HotRoute("top", "GET", "/v1/top", GlobalTop(store)),
        HotRoute("partition_top", "GET", BOARD + "/top", BoardTop(store)),
        HotRoute("around", "GET", player + "/around", Around(store)),
        HotRoute("rank", "GET", player + "/rank", Rank(store)),
    ]


def _respond(problem: Problem) -> Response:
    answer = problem.answer()
    headers = {name.decode(): value.decode() for name, value in answer.start["headers"]}
    return Response(answer.body["body"], answer.status, headers)


async def _problem(_: Request, problem: Exception) -> Response:
    if not isinstance(problem, Problem):
        raise problem
    return _respond(problem)


async def _http_exception(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return _respond(MethodNotAllowed((error.headers or {}).get("Allow", "GET")))
    return _respond(UnknownRoute(f"There is no route {request.url.path}."))


async def _failure(_: Request, __: Exception) -> Response:
    return _respond(InternalError("The service failed; its log says why."))
