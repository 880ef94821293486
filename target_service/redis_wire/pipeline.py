"""Commands issued in the same turn of the event loop share one pipeline."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence

from redis.asyncio.connection import AbstractConnection

from target_service.redis_wire.clock import Clock
from target_service.redis_wire.command import Command
from target_service.redis_wire.errors import QueueFull
from target_service.redis_wire.lane import Lane, Took
from target_service.redis_wire.request import Answers, Request

LANES = 4
# Redis writes some 150,000 members a second: this much takes about as long as the timeout.
QUEUED_WEIGHT = 100_000
# One pipeline waits for its slowest part: this much keeps it within some 30 ms.
PIPELINE_WEIGHT = 5_000


def _unwatched(_: float) -> None:
    """Keep no times."""


class Pipeline:
    """Collects commands while the loop turns and sends them over a few lanes.

    The first command of a turn wakes an idle lane; the lane runs in the next turn and takes all
    that has gathered by then. While every lane is busy the commands wait in a bounded queue.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractConnection],
        timeout_seconds: float,
        lanes: int = LANES,
        took: Took = _unwatched,
    ) -> None:
        self.timeout_seconds = timeout_seconds
        clock = Clock()
        self._lanes = [Lane(connect, clock, timeout_seconds, took) for _ in range(lanes)]
        self._waiting: deque[Request] = deque()
        self._waiting_weight = 0
        self._idle: list[asyncio.Future[None]] = []
        self._is_waking = False
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the lanes; each connects when it first has something to send."""
        self._tasks = [asyncio.create_task(self._serve(lane)) for lane in self._lanes]

    async def stop(self) -> None:
        """End the lanes and close their connections."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for lane in self._lanes:
            await lane.close()

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
        """Return the loop time by which whoever begins now has all its answers."""
        return asyncio.get_running_loop().time() + self.timeout_seconds

    def _wake(self) -> None:
        if self._idle and not self._is_waking:
            self._is_waking = True
            # The lane that rested last: the others need no connection until load asks for it.
            self._idle.pop().set_result(None)

    async def _serve(self, lane: Lane) -> None:
        while True:
            while not self._waiting:
                waker = asyncio.get_running_loop().create_future()
                self._idle.append(waker)
                await waker
                self._is_waking = False
            requests = self._take()
            if requests:
                await lane.exchange(requests)

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
