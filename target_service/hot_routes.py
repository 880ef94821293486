"""The routes under load, answered in front of the framework."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

from redis.exceptions import ResponseError
from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.answers import Answer
from target_service.call import Call, ClientGone
from target_service.gate import Gate
from target_service.ledger.errors import LedgerBusy, LedgerError, LedgerUnwritable
from target_service.operation import Operation
from target_service.problems import (
    InternalError,
    LedgerUnavailable,
    MethodNotAllowed,
    Problem,
    ServiceUnavailable,
)
from target_service.redis_wire.errors import RedisUnavailable
from target_service.request_times import UNMATCHED, RequestTimes

logger = logging.getLogger(__name__)


class Handler(Protocol):
    """Answers the calls of one operation."""

    @property
    def operation(self) -> Operation:
        """Return the operation."""

    async def __call__(self, call: Call) -> Answer:
        """Answer the call, or raise a Problem."""


@dataclass(frozen=True, slots=True)
class _Route:
    """One path: its fixed segments by place, and who answers each method."""

    fixed: tuple[tuple[int, bytes], ...]
    handlers: dict[str, Handler] = field(default_factory=dict)

    def fits(self, segments: Sequence[bytes]) -> bool:
        """Tell whether the segments (as many as the path has) are of this path."""
        for index, segment in self.fixed:  # noqa: SIM110  (a generator costs more than the check)
            if segments[index] != segment:
                return False
        return True


class HotRoutes:
    """A plain ASGI app that answers its own routes and passes everything else on.

    A route is found by the number of its segments and the last one, unless that names something;
    the framework's router would try one pattern after the other.
    """

    def __init__(
        self,
        handlers: Sequence[Handler],
        behind: ASGIApp,
        request_times: RequestTimes,
        gate: Gate,
    ) -> None:
        self._behind = behind
        self._gate = gate
        self._request_times = request_times
        self._routes: dict[tuple[int, bytes | None], list[_Route]] = {}
        for handler in handlers:
            self._add(handler)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or hand it to the app behind."""
        if scope["type"] != "http":
            await self._behind(scope, receive, send)
            return
        started = perf_counter()
        segments = tuple(scope["raw_path"].split(b"/"))
        route = self._find(segments)
        handler = None if route is None else route.handlers.get(scope["method"])
        name = UNMATCHED if handler is None else handler.operation.name
        refused = self._gate.refusal(scope)
        if refused is not None:
            answer = refused.answer()
        elif route is None:
            await self._behind(scope, receive, send)
            return
        elif handler is None:
            name = _first(route).operation.name
            answer = MethodNotAllowed(*route.handlers).answer()
        else:
            try:
                call = Call(segments, scope["query_string"], scope, receive)
                answer = await _answer(handler, call)
            except ClientGone:
                return
        await send(answer.start)
        await send(answer.body)
        self._request_times.observe(name, scope["method"], answer.status, perf_counter() - started)

    def _find(self, segments: tuple[bytes, ...]) -> _Route | None:
        length = len(segments)
        for last in (segments[-1], None):
            for route in self._routes.get((length, last), ()):
                if route.fits(segments):
                    return route
        return None

    def _add(self, handler: Handler) -> None:
        segments = handler.operation.path.encode().split(b"/")
        named = [part.startswith(b"{") for part in segments]
        fixed = tuple((i, part) for i, part in enumerate(segments) if not named[i])
        routes = self._routes.setdefault((len(segments), None if named[-1] else segments[-1]), [])
        for route in routes:
            if route.fixed == fixed:
                break
        else:
            routes.append(route := _Route(fixed))
        route.handlers[handler.operation.method] = handler
        if handler.operation.method == "GET":
            # The server leaves the body of the answer out.
            route.handlers["HEAD"] = handler


def _first(route: _Route) -> Handler:
    return next(iter(route.handlers.values()))


def ledger_problem(error: LedgerError) -> LedgerUnavailable:
    """Return the refusal of a write that the ledger did not take."""
    if isinstance(error, LedgerBusy | LedgerUnwritable):
        return LedgerUnavailable(str(error), error.retry_after_seconds)
    return LedgerUnavailable(str(error))


async def _answer(handler: Handler, call: Call) -> Answer:
    try:
        return await handler(call)
    except Problem as problem:
        return problem.answer()
    except LedgerError as error:
        return ledger_problem(error).answer()
    except (RedisUnavailable, ResponseError) as error:
        return ServiceUnavailable.of(error).answer()
    except ClientGone:
        raise
    except Exception:
        logger.exception("The %s route failed", handler.operation.name)
        return InternalError("The service failed; its log says why.").answer()
