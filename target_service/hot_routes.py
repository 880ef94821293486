"""The routes under load, answered in front of the framework."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from redis.exceptions import ResponseError
from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.answers import Answer
from target_service.call import Call, ClientGone
from target_service.problems import InternalError, MethodNotAllowed, Problem, ServiceUnavailable
from target_service.redis_wire.errors import RedisUnavailable
from target_service.request_times import RequestTimes

Handler = Callable[[Call], Awaitable[Answer]]
ANY = b"{}"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HotRoute:
    """An operation, its method, its path (with {} for any one segment), and what answers it."""

    name: str
    method: str
    path: str
    handler: Handler

    def segments(self) -> tuple[bytes, ...]:
        """Return the path cut at its slashes."""
        return tuple(self.path.encode().split(b"/"))


class HotRoutes:
    """A plain ASGI app that answers its own routes and passes everything else on.

    A route is found by the number of its segments and the last one; the framework's router
    would try one pattern after the other.
    """

    def __init__(
        self, routes: Sequence[HotRoute], fallback: ASGIApp, request_times: RequestTimes
    ) -> None:
        self._fallback = fallback
        self._request_times = request_times
        self._routes = {
            (len(segments), segments[-1]): (route, _fixed(segments))
            for route in routes
            for segments in (route.segments(),)
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or hand it to the app behind."""
        route = None
        if scope["type"] == "http":
            started = perf_counter()
            segments = tuple(scope["raw_path"].split(b"/"))
            route = self._find(segments)
        if route is None:
            await self._fallback(scope, receive, send)
            return
        try:
            answer = await _answer(route, Call(segments, scope["query_string"], scope, receive))
        except ClientGone:
            return
        await send(answer.start)
        await send(answer.body)
        self._request_times.observe(
            route.name, scope["method"], answer.status, perf_counter() - started
        )

    def _find(self, segments: tuple[bytes, ...]) -> HotRoute | None:
        found = self._routes.get((len(segments), segments[-1]))
        if found is None:
            return None
        route, fixed = found
        for index, segment in fixed:
            if segments[index] != segment:
                return None
        return route


def _fixed(segments: tuple[bytes, ...]) -> tuple[tuple[int, bytes], ...]:
    return tuple((index, segment) for index, segment in enumerate(segments) if segment != ANY)


async def _answer(route: HotRoute, call: Call) -> Answer:
    try:
        if call.scope["method"] != route.method:
            raise MethodNotAllowed(route.method)
        return await route.handler(call)
    except Problem as problem:
        return problem.answer()
    except RedisUnavailable as error:
        return ServiceUnavailable(str(error)).answer()
    except ResponseError as error:
        return ServiceUnavailable(f"Redis refused: {error}").answer()
    except ClientGone:
        raise
    except Exception:
        logger.exception("The %s route failed", route.name)
        return InternalError("The service failed; its log says why.").answer()
