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
        self._commands = [(Command(pack("ZCARD", key), Uncounted()),) for key in keys]

    async def keep(self) -> None:
        """Refresh for ever."""
        while True:
            await self.refresh()
            await asyncio.sleep(INTERVAL_SECONDS)

    async def refresh(self) -> None:
        """Ask once; what cannot be measured is no number."""
        answers = await asyncio.gather(
            *map(self._pipeline.run, self._commands), return_exceptions=True
        )
        for gauge, answer in zip(self._gauges, answers, strict=True):
            if isinstance(answer, RedisUnavailable | ResponseError):
                gauge.set(math.nan)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                gauge.set(answer.replies[0])
