"""A small background task that keeps the boards' member counts fresh."""

import asyncio
import math

from redis.exceptions import ResponseError

from target_service.leaderboard.boards import Boards
from target_service.metrics import Metrics
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline

INTERVAL_SECONDS = 5.0


class MemberCounts:
    """Sets leaderboard_board_members; its reads are upkeep and count as no hits."""

    def __init__(self, boards: Boards, pipeline: Pipeline, metrics: Metrics) -> None:
        self._pipeline = pipeline
        keys = boards.keys_of()
        self._gauges = [metrics.keys.board_members.labels(key) for key in keys]
        self._commands = [Command(pack("ZCARD", key), Uncounted()) for key in keys]

    async def keep(self) -> None:
        """Refresh for ever."""
        while True:
            await self.refresh()
            await asyncio.sleep(INTERVAL_SECONDS)

    async def refresh(self) -> None:
        """Ask once; what cannot be measured is no number."""
        try:
            counts, _ = await self._pipeline.run(self._commands)
        except (RedisUnavailable, ResponseError):
            counts = [math.nan] * len(self._gauges)
        for gauge, count in zip(self._gauges, counts, strict=True):
            gauge.set(count)
