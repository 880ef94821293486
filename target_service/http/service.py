"""The FastAPI app of the service, and what stands around every request."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from fastapi import FastAPI
from redis.exceptions import ResponseError
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from target_service.http.fast_route import ClientGone, FastRoute
from target_service.http.gate import Gate
from target_service.http.problems import (
    InternalError,
    LedgerRequired,
    LedgerUnavailable,
    MethodNotAllowed,
    Problem,
    ServiceUnavailable,
    UnknownRoute,
)
from target_service.ledger.errors import LedgerError
from target_service.metrics import Metrics
from target_service.redis.commands import RedisUnavailable
from target_service.settings import Settings

METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})

logger = logging.getLogger(__name__)


class Service(FastAPI):
    """A FastAPI app whose routes are `FastRoute`s, behind one middleware instead of five.

    FastAPI's own (exit stacks for uploads, a body limit, telemetry, two for exceptions) cost some
    18 µs a request; what of them is needed here, `Requests` does.
    """

    def __init__(self, requests: "Requests", **options: Any) -> None:  # noqa: ANN401  (FastAPI's own)
        self._requests = requests
        super().__init__(
            redirect_slashes=False,
            docs_url=None,
            redoc_url=None,
            generate_unique_id_function=lambda route: route.name,
            # Whether to trace would be asked anew at every request.
            telemetry={"tracing": False, "metrics": False, "logs": False},
            **options,
        )
        self.router.route_class = FastRoute

    def build_middleware_stack(self) -> ASGIApp:
        """Put the one middleware around the router."""
        return self._requests.around(self.router)

    @contextmanager
    def only_with_ledger(self, settings: Settings) -> Iterator[None]:
        """Have the routes added inside refuse every request of a service without a ledger."""
        before = len(self.routes)
        yield
        if settings.ledger == "none":
            for route in self.routes[before:]:
                if isinstance(route, FastRoute):
                    route.refusal = LedgerRequired(
                        "This is kept in the ledger, and the service runs without one; "
                        "start it with a ledger."
                    )


class Requests:
    """What stands around every request: who may ask, how long it took, and every error."""

    def __init__(self, metrics: Metrics, gate: Gate) -> None:
        self._gate = gate
        self._durations = metrics.service.request_duration
        self._observers: dict[tuple[str, str, int], Callable[[float], None]] = {}

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return the app with this around it, as pure ASGI middleware."""

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await self._handle(app, scope, receive, send)
            else:
                await app(scope, receive, send)

        return handle

    async def _handle(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        started = perf_counter()
        status = 0

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        # Routes match the path as it was sent: an encoded slash separates nothing.
        scope["path"] = scope["raw_path"].decode("latin-1")
        problem = self._gate.refusal(scope)
        if problem is None:
            try:
                await app(scope, receive, watch)
            except ClientGone:
                return
            except Exception as error:
                problem = problem_of(error, scope)
                if isinstance(problem, InternalError):
                    logger.exception("The %s route failed", _route(scope))
        if problem is not None and not status:
            answer = problem.answer()
            await watch(answer.start)
            await watch(answer.body)
        self._observe(_route(scope), scope["method"], status, perf_counter() - started)

    def _observe(self, route: str, method: str, status: int, seconds: float) -> None:
        known = (route, method if method in METHODS else "other", status)
        observe = self._observers.get(known)
        if observe is None:
            labels = (known[0], known[1], str(status))
            observe = self._observers[known] = self._durations.labels(*labels).observe
        observe(seconds)


def problem_of(error: Exception, scope: Mapping[str, Any]) -> Problem:
    """Return the refusal that an error becomes; one that nobody foresaw is a defect of ours."""
    match error:
        case Problem():
            return error
        case LedgerError():
            return LedgerUnavailable(str(error), getattr(error, "retry_after_seconds", 1))
        case RedisUnavailable() | ResponseError():
            return ServiceUnavailable.of(error)
        case HTTPException(status_code=404 | 405):
            return _no_route(scope)
        case _:
            return InternalError("The service failed; its log says why.")


def _no_route(scope: Mapping[str, Any]) -> Problem:
    """Name every method that the path takes, which several routes may share."""
    routes = [route for route in scope["app"].routes if route.matches(scope)[0] is not Match.NONE]
    methods = dict.fromkeys(method for route in routes for method in getattr(route, "methods", ()))
    if not methods:
        return UnknownRoute(f"There is no route {scope['path']}.")
    return MethodNotAllowed(*methods, *({"HEAD"} if "GET" in methods else ()))


def _route(scope: Mapping[str, Any]) -> str:
    """The name of the route that the router found, and left here."""
    return getattr(scope.get("route"), "name", "unmatched")
