"""A service without a ledger takes boards over from one that had it."""

import asyncio
from collections.abc import Iterable

from redis.exceptions import ResponseError

from target_service.projection.companions import MARK, companion
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline

_AGAIN_SECONDS = 0.5


async def disown(pipeline: Pipeline, keys: Iterable[str]) -> None:
    """Remove the marks of the boards, so that no ledger takes what is written now for its own."""
    commands = [Command(pack("UNLINK", companion(key, MARK)), Uncounted()) for key in keys]
    while True:
        try:
            await pipeline.run(commands)
        except (RedisUnavailable, ResponseError):
            await asyncio.sleep(_AGAIN_SECONDS)
        else:
            return
