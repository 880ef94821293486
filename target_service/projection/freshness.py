"""The freshness of boards that follow the ledger."""

from collections.abc import Collection
from typing import NoReturn

from redis.exceptions import ResponseError

from target_service.projection.conditions import Conditions
from target_service.projection.inspection import Mark, reading
from target_service.redis_wire.command import Reply
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.pipeline import Pipeline


class ProjectedFreshness:
    """Judges a board by the mark read beside it, and by what this process last saw.

    What the guard lets through is never written to a board that lost something, so a board that is
    there and marked is whole; and one of which nothing is there has lost it if anything was
    written. Before it is said that a player is not there, the board is looked at once more.
    """

    def __init__(self, pipeline: Pipeline, conditions: Conditions) -> None:
        self._pipeline = pipeline
        self._conditions = conditions

    def check(self, key: str, mark: Reply, *, is_empty: bool) -> bool:
        """Tell whether the board may be behind; raises BoardUnavailable when it is gone."""
        epoch, writes, ready = mark
        if epoch is None or (is_empty and int(writes or 0)):
            self._lost(key)
        is_behind = self._conditions.check(key) or epoch != ready
        if is_behind and is_empty:
            raise self._conditions.unavailable(key)
        return is_behind

    async def confirm(self, key: str) -> None:
        """Raise BoardUnavailable when the board has just been lost, or is not whole yet."""
        if self._conditions.check(key):
            raise self._conditions.unavailable(key)
        await self.find((key,))

    async def find(self, keys: Collection[str]) -> None:
        """Raise BoardUnavailable when one of the boards has just been lost, or begun anew."""
        commands = [command for key in keys for command in reading(key)]
        try:
            replies, _ = await self._pipeline.run(commands)
        except (RedisUnavailable, ResponseError):
            self._lost(next(iter(keys)))
        for key, found in zip(keys, zip(*[iter(replies)] * 3, strict=True), strict=True):
            mark = Mark.of(*found)
            if mark.is_lost or mark.epoch != mark.ready:
                self._lost(key)

    def _lost(self, key: str) -> NoReturn:
        self._conditions.doubt(key)
        raise self._conditions.unavailable(key)
