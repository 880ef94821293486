"""One connection to Redis that carries one pipeline at a time."""

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from time import perf_counter

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError, ResponseError

from target_service.redis_wire.clock import Clock
from target_service.redis_wire.request import Request

# is given how long each pipeline took, in seconds
Took = Callable[[float], None]

logger = logging.getLogger(__name__)


class Lane:
    """Sends requests as one pipeline, reads every reply, and closes after any doubt."""

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        clock: Clock,
        timeout_seconds: float,
        took: Took,
    ) -> None:
        self._connect = connect
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._took = took
        self._connection: AbstractConnection | None = None

    async def exchange(self, requests: Sequence[Request]) -> None:
        """Write the requests' commands, then give every request its answers or its failure."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                connection = await self._ready()
        except (RedisError, OSError) as error:
            await self.close()
            for request in requests:
                request.fail(f"Redis cannot be reached: {_told(error)}")
            return
        started = perf_counter()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                await self._carry(connection, requests)
        except Exception as error:
            if not isinstance(error, RedisError | OSError):
                # A lane that ended here would leave the rest with one lane less for good.
                logger.exception("A pipeline failed")
            # A reply may still arrive on this socket; whoever used it next would read it as theirs.
            await self.close()
            for request in requests:
                _abandon(request, f"Redis gave no answer: {_told(error)}")
        self._took(perf_counter() - started)

    async def close(self) -> None:
        """Close the connection without waiting for the other side."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)

    async def _ready(self) -> AbstractConnection:
        connection = self._connection
        if connection is not None:
            # Readable while idle means that the server closed it (or sent what nobody asked for).
            if connection.is_connected and not await connection.can_read():
                return connection
            await self.close()
        self._connection = connection = self._connect()
        await connection.connect()  # type: ignore[no-untyped-call]  # redis-py leaves it bare
        return connection

    async def _carry(self, connection: AbstractConnection, requests: Sequence[Request]) -> None:
        as_of = self._clock.stamp()
        started = perf_counter()
        packed = b"".join([command.packed for request in requests for command in request.commands])
        await connection.send_packed_command(packed, check_health=False)
        for request in requests:
            for command in request.commands:
                try:
                    reply = await connection.read_response(timeout=math.inf)
                except ResponseError as error:
                    command.tally.refused(error)
                    request.error = request.error or error
                    reply = None
                else:
                    command.tally.answered(reply, perf_counter() - started)
                request.replies.append(reply)
            request.answer(as_of)


def _abandon(request: Request, reason: str) -> None:
    for command in request.commands[len(request.replies) :]:
        command.tally.unanswered()
    request.fail(reason)


def _told(error: Exception) -> str:
    return "it took too long" if isinstance(error, TimeoutError) else str(error)
