"""The routes under load, answered in front of the framework."""

import logging
from collections.abc import Sequence
from time import perf_counter
from typing import Protocol

from redis.exceptions import ResponseError
from starlette.types import ASGIApp, Receive, Scope, Send

from target_service.answers import Answer
from target_service.call import Call, ClientGone
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
from target_service.request_times import RequestTimes

logger = logging.getLogger(__name__)


class Handler(Protocol):
    """Answers the calls of one operation."""

    @property
    def operation(self) -> Operation:
        """Return the operation."""

    async def __call__(self, call: Call) -> Answer:
        """Answer the call, or raise a Problem."""


class HotRoutes:
    """A plain ASGI app that answers its own routes and passes everything else on.

    A route is found by the number of its segments and the last one; the framework's router
    would try one pattern after the other.
    """

    def __init__(
        self, handlers: Sequence[Handler], behind: ASGIApp, request_times: RequestTimes
    ) -> None:
        self._behind = behind
        self._request_times = request_times
        self._routes = {}
        for handler in handlers:
            segments = handler.operation.path.encode().split(b"/")
            fixed = [(i, part) for i, part in enumerate(segments) if not part.startswith(b"{")]
            self._routes[len(segments), segments[-1]] = (handler, fixed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or hand it to the app behind."""
        handler = None
        if scope["type"] == "http":
            started = perf_counter()
            segments = tuple(scope["raw_path"].split(b"/"))
            handler = self._find(segments)
        if handler is None:
            await self._behind(scope, receive, send)
            return
        try:
            answer = await _answer(handler, Call(segments, scope["query_string"], scope, receive))
        except ClientGone:
            return
        await send(answer.start)
        await send(answer.body)
        self._request_times.observe(
            handler.operation.name, scope["method"], answer.status, perf_counter() - started
        )

    def _find(self, segments: tuple[bytes, ...]) -> Handler | None:
        found = self._routes.get((len(segments), segments[-1]))
        if found is None:
            return None
        handler, fixed = found
        for index, segment in fixed:
            if segments[index] != segment:
                return None
        return handler


def ledger_problem(error: LedgerError) -> LedgerUnavailable:
    """Return the refusal of a write that the ledger did not take."""
    if isinstance(error, LedgerBusy | LedgerUnwritable):
        return LedgerUnavailable(str(error), error.retry_after_seconds)
    return LedgerUnavailable(str(error))


async def _answer(handler: Handler, call: Call) -> Answer:
    allowed = handler.operation.method
    if call.scope["method"] != allowed:
        return MethodNotAllowed(allowed).answer()
    try:
        return await handler(call)
    except Problem as problem:
        return problem.answer()
    except LedgerError as error:
        return ledger_problem(error).answer()
    except (RedisUnavailable, ResponseError) as error:
        told = f"Redis refused: {error}" if isinstance(error, ResponseError) else str(error)
        return ServiceUnavailable(told).answer()
    except ClientGone:
        raise
    except Exception:
        logger.exception("The %s route failed", handler.operation.name)
        return InternalError("The service failed; its log says why.").answer()
