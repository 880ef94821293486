"""How long requests take, by route, method and status."""

from time import perf_counter
from typing import TYPE_CHECKING

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from target_service.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

UNMATCHED = "unmatched"
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


class RequestTimes:
    """Observes request durations, with the labelled children made once."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._observers: dict[tuple[str, str, int], Callable[[float], None]] = {}

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Observe one request."""
        known = (route, method if method in METHODS else "other", status)
        observe = self._observers.get(known)
        if observe is None:
            labels = (known[0], known[1], str(status))
            observe = self._metrics.service.request_duration.labels(*labels).observe
            self._observers[known] = observe
        observe(seconds)


class TimedApp:
    """Pure ASGI middleware that times the routes of the framework by their names."""

    def __init__(self, app: ASGIApp, request_times: RequestTimes) -> None:
        self._app = app
        self._request_times = request_times

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and observe it once it is answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        status = 0

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            if status:
                # The router leaves the matched route here; without one the path is unknown.
                route = getattr(scope.get("route"), "name", UNMATCHED)
                self._request_times.observe(
                    route, scope["method"], status, perf_counter() - started
                )
