"""Commands issued in the same turn of the event loop share one pipeline."""

import asyncio
import hashlib
import logging
import math
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import NamedTuple

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import NoScriptError, RedisError, ResponseError

from target_service.redis.commands import (
    Command,
    QueueFull,
    RedisUnavailable,
    Reply,
    Uncounted,
    pack,
)
from target_service.timestamps import rfc3339, wall_clock_ms

CONNECTIONS = 4
# Redis writes some 150,000 members a second: this much takes about as long as the timeout.
QUEUED_WEIGHT = 100_000
# A pipeline is as slow as its slowest part: this much keeps it within some 30 ms.
PIPELINE_WEIGHT = 5_000

# is called with the duration of each pipeline
ObserveSeconds = Callable[[float], None]

logger = logging.getLogger(__name__)


class Clock:
    """UTC wall time in RFC 3339 with milliseconds that never goes backwards."""

    def __init__(self) -> None:
        self._latest_ms = 0
        self._text = ""

    def stamp(self) -> str:
        """Return the time, or the latest one returned when the wall clock was set back."""
        now_ms = wall_clock_ms()
        if now_ms > self._latest_ms:
            self._latest_ms = now_ms
            self._text = rfc3339(now_ms)
        return self._text


class Answers(NamedTuple):
    """The replies in order, and the moment just before their commands were written."""

    replies: list[Reply]
    as_of: str


class Request:
    """Commands in order, and the future of their answers."""

    __slots__ = ("commands", "error", "future", "replies", "weight")

    def __init__(self, commands: Sequence[Command], future: asyncio.Future[Answers]) -> None:
        self.commands = commands
        self.future = future
        self.replies: list[Reply] = []
        self.error: ResponseError | None = None
        self.weight = sum(command.weight for command in commands)

    def answer(self, as_of: str) -> None:
        """Pass on the replies, or the first error among them, unless the caller has gone."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(Answers(self.replies, as_of))
        else:
            self.future.set_exception(self.error)

    def fail(self, reason: str) -> None:
        """Fail the request: no whole answer will come."""
        if not self.future.done():
            self.future.set_exception(RedisUnavailable(reason))


class PipelineConnection:
    """Sends requests as one pipeline, reads every reply, and closes after any doubt."""

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        clock: Clock,
        timeout_seconds: float,
        observe_seconds: ObserveSeconds,
    ) -> None:
        self._connect = connect
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._observe_seconds = observe_seconds
        self._connection: AbstractConnection | None = None

    async def exchange(self, requests: Sequence[Request]) -> None:
        """Write the requests' commands, then complete every request with answers or a failure."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                connection = await self._ready()
        except (RedisError, OSError) as error:
            await self.close()
            for request in requests:
                request.fail(f"Redis cannot be reached: {_reason(error)}")
            return
        started = perf_counter()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                await self._send_and_read(connection, requests)
        except Exception as error:
            if not isinstance(error, RedisError | OSError):
                # An error must not end the task that serves this connection.
                logger.exception("A pipeline failed")
            # A late reply on this socket would be read as the answer to the next request.
            await self.close()
            for request in requests:
                _abandon(request, f"Redis gave no answer: {_reason(error)}")
        self._observe_seconds(perf_counter() - started)

    async def close(self) -> None:
        """Close the connection without waiting for the other side."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect(nowait=True)

    async def _ready(self) -> AbstractConnection:
        connection = self._connection
        if connection is not None:
            # Readable while idle means that the server closed it, or sent an answer to no request.
            if connection.is_connected and not await connection.can_read():
                return connection
            await self.close()
        self._connection = connection = self._connect()
        await connection.connect()  # type: ignore[no-untyped-call]  # redis-py leaves it bare
        return connection

    async def _send_and_read(
        self, connection: AbstractConnection, requests: Sequence[Request]
    ) -> None:
        as_of = self._clock.stamp()
        started = perf_counter()
        packed = b"".join([command.packed for request in requests for command in request.commands])
        await connection.send_packed_command(packed, check_health=False)
        for request in requests:
            for command in request.commands:
                try:
                    reply = await connection.read_response(timeout=math.inf)
                except ResponseError as error:
                    command.metrics.refused(error)
                    request.error = request.error or error
                    reply = None
                else:
                    command.metrics.answered(reply, perf_counter() - started)
                request.replies.append(reply)
            request.answer(as_of)


def _abandon(request: Request, reason: str) -> None:
    for command in request.commands[len(request.replies) :]:
        command.metrics.unanswered()
    request.fail(reason)


def _reason(error: Exception) -> str:
    return "it took too long" if isinstance(error, TimeoutError) else str(error)


def _ignore_seconds(_: float) -> None:
    """Ignore the duration."""


class Pipeline:
    """Collects the commands of one turn of the event loop and sends them over few connections.

    The first command of a turn wakes an idle connection. Its task runs in the next turn and takes
    all requests that have gathered by then. While every connection is busy, requests wait in a
    bounded queue.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        timeout_seconds: float,
        connections: int = CONNECTIONS,
        observe_seconds: ObserveSeconds = _ignore_seconds,
    ) -> None:
        self.timeout_seconds = timeout_seconds
        clock = Clock()
        self._connections = [
            PipelineConnection(connect, clock, timeout_seconds, observe_seconds)
            for _ in range(connections)
        ]
        self._waiting: deque[Request] = deque()
        self._waiting_weight = 0
        self._idle: list[asyncio.Future[None]] = []
        self._is_waking = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start a task per connection; each connects when it first has something to send."""
        self._tasks = [
            asyncio.create_task(self._serve(connection)) for connection in self._connections
        ]

    async def stop(self) -> None:
        """End the tasks and close the connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in self._connections:
            await connection.close()

    async def run(self, commands: Sequence[Command], deadline: float | None = None) -> Answers:
        """Return the replies to the commands, in order.

        Raises:
            RedisUnavailable: no whole answer came before the deadline (default: the timeout).
            ResponseError: Redis answered one of the commands with this error.

        """
        loop = asyncio.get_running_loop()
        request = Request(commands, loop.create_future())
        if self._waiting_weight + request.weight > QUEUED_WEIGHT:
            raise QueueFull("Too many commands are waiting for Redis.")
        self._waiting.append(request)
        self._waiting_weight += request.weight
        self._wake()
        expires = self.deadline() if deadline is None else deadline
        timer = loop.call_at(expires, request.fail, "Redis gave no answer in time.")
        try:
            return await request.future
        finally:
            timer.cancel()

    def deadline(self) -> float:
        """Return the loop time by which a request that starts now has all its answers."""
        return asyncio.get_running_loop().time() + self.timeout_seconds

    def _wake(self) -> None:
        if self._idle and not self._is_waking:
            self._is_waking = True
            # The connection used last: under light load the others are never opened.
            self._idle.pop().set_result(None)

    async def _serve(self, connection: PipelineConnection) -> None:
        while True:
            while not self._waiting:
                waker = asyncio.get_running_loop().create_future()
                self._idle.append(waker)
                await waker
                self._is_waking = False
            requests = self._take()
            if requests:
                await connection.exchange(requests)

    def _take(self) -> list[Request]:
        taken: list[Request] = []
        weight = 0
        while self._waiting and (not taken or weight + self._waiting[0].weight <= PIPELINE_WEIGHT):
            request = self._waiting.popleft()
            self._waiting_weight -= request.weight
            if not request.future.done():
                taken.append(request)
                weight += request.weight
        if self._waiting:
            self._wake()
        return taken


class Script:
    """A script's text, its digest, and the command that loads it."""

    def __init__(self, source: str) -> None:
        self.digest = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
        self.load = Command(pack("SCRIPT", "LOAD", source), Uncounted())

    def call(self, key: str, *arguments: str) -> bytes:
        """Return the packed call of this script on one key."""
        return self.call_on((key,), *arguments)

    def call_on(self, keys: Sequence[str], *arguments: str) -> bytes:
        """Return the packed call of this script on several keys of one slot."""
        return pack("EVALSHA", self.digest, str(len(keys)), *keys, *arguments)

    async def run(
        self, pipeline: Pipeline, commands: Sequence[Command], deadline: float
    ) -> Answers:
        """Return the answers to commands with a call of this script among them.

        A script the server does not know is loaded, and the commands are sent once more.
        """
        try:
            return await pipeline.run(commands, deadline)
        except NoScriptError:
            replies, as_of = await pipeline.run((self.load, *commands), deadline)
            return Answers(replies[1:], as_of)
