"""The freshness of boards that follow the ledger."""

from redis.exceptions import ResponseError

from target_service.problems import BoardUnavailable
from target_service.projection.companions import MARK, companion
from target_service.projection.conditions import Conditions
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline


class ProjectedFreshness:
    """Tells what this process last saw, and looks again before it says that nothing is there."""

    def __init__(self, pipeline: Pipeline, conditions: Conditions) -> None:
        self._pipeline = pipeline
        self._conditions = conditions

    def check(self, key: str) -> bool:
        """Tell whether the board may be behind; raises BoardUnavailable when it is gone."""
        return self._conditions.check(key)

    async def confirm(self, key: str) -> None:
        """Raise BoardUnavailable when the board has just been lost, or is not whole yet."""
        if self._conditions.check(key):
            raise BoardUnavailable(key)
        exists = Command(pack("EXISTS", companion(key, MARK)), Uncounted())
        try:
            (found,), _ = await self._pipeline.run((exists,))
        except (RedisUnavailable, ResponseError):
            found = 0
        if not found:
            self._conditions.doubt(key)
            raise BoardUnavailable(key)
