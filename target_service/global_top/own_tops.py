"""Tops of one worker's own making, where no ledger is there to share them through."""

import asyncio
import logging
from collections.abc import Sequence

from redis.exceptions import ResponseError

from target_service.global_top.copies import Copies
from target_service.global_top.made_top import MadeTop
from target_service.global_top.making import Making
from target_service.problems import BoardUnavailable
from target_service.redis_wire.errors import RedisUnavailable

logger = logging.getLogger(__name__)


class OwnTops:
    """Puts the tops together once per interval, whatever the number of requests."""

    def __init__(
        self, making: Making, copies: Copies, seasons: Sequence[str], interval_seconds: float
    ) -> None:
        self._making = making
        self._copies = copies
        self._seasons = seasons
        self._interval_seconds = interval_seconds

    async def current(self, season: str) -> MadeTop | None:
        """Return the worker's copy."""
        return self._copies.get(season)

    async def start(self) -> None:
        """Put them together before the first request, if Redis is there."""
        await self._round()

    async def keep(self) -> None:
        """Put them together for ever; a failure is tried again."""
        while True:
            await asyncio.sleep(self._interval_seconds)
            await self._round()

    async def stop(self) -> None:
        """Leave nothing to tidy up."""

    async def _round(self) -> None:
        for season in self._seasons:
            try:
                made = await self._making.make(season)
                self._copies.take([made.following(self._copies.as_of_us(season))])
            except (RedisUnavailable, ResponseError, BoardUnavailable):
                continue
            except Exception:
                logger.exception("The top of season %s failed; it is tried again", season)
