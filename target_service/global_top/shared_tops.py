"""Tops that one of the workers puts together and all of them answer from."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress

from redis.exceptions import ResponseError

from target_service.global_top.book import Book
from target_service.global_top.copies import Copies
from target_service.global_top.floor import Floor
from target_service.global_top.made_top import MadeTop
from target_service.global_top.making import Making
from target_service.ledger.errors import LedgerError
from target_service.problems import BoardUnavailable
from target_service.redis_wire.errors import RedisUnavailable

logger = logging.getLogger(__name__)

_FAILURES = (LedgerError, RedisUnavailable, ResponseError)
_FIRST_TOPS_SECONDS = 3.0
_LOOK_AGAIN_SECONDS = 0.05


class SharedTops:
    """Looks into the book once per interval; who has the lease then puts the next tops there.

    Redis is read by that one worker alone, and no key is read by all. When it dies its lease runs
    out, another worker goes on, and until then everybody answers from what is there.
    """

    def __init__(
        self,
        making: Making,
        copies: Copies,
        book: Book,
        floors: Mapping[str, Floor],
        interval_seconds: float,
    ) -> None:
        self._making = making
        self._copies = copies
        self._book = book
        self._floors = floors
        self._interval_seconds = interval_seconds
        self._following = asyncio.Lock()
        # A floor that nothing in the book reaches is asked for once, not with every request.
        self._missed_us = dict.fromkeys(floors, 0)

    async def current(self, season: str) -> MadeTop | None:
        """Return the copy, after a look into the book if another worker has answered a newer."""
        floor_us = self._floors[season].as_of_us
        if max(self._copies.as_of_us(season), self._missed_us[season]) < floor_us:
            async with self._following:
                if self._copies.as_of_us(season) < floor_us:
                    with suppress(LedgerError):
                        await self._follow()
                    self._missed_us[season] = floor_us
        return self._copies.get(season)

    async def start(self) -> None:
        """Have the tops before the first request, if they can be had soon."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_TOPS_SECONDS):
                while True:
                    await self._round()
                    if all(map(self._copies.get, self._floors)):
                        return
                    await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    async def keep(self) -> None:
        """Follow, and lead if nobody else does, for ever; a failure is tried again."""
        while True:
            await asyncio.sleep(self._interval_seconds)
            await self._round()

    async def stop(self) -> None:
        """Give back the lease, the file and the memory."""
        await self._book.close()
        for floor in self._floors.values():
            floor.close()

    async def _round(self) -> None:
        try:
            if await self._follow():
                await self._lead()
        except _FAILURES:
            pass
        except Exception:
            logger.exception("The materialised top failed; it is tried again")

    async def _follow(self) -> bool:
        """Take over what is newer in the book; tell whether this worker may lead."""
        known_us = {season: self._copies.as_of_us(season) for season in self._floors}
        look = await self._book.look(known_us)
        for top in look.newer:
            if floor := self._floors.get(top.season):
                floor.rise(top.as_of_us)
        self._copies.take(look.newer)
        return look.may_lead

    async def _lead(self) -> None:
        lease = await self._book.take_lease()
        if lease is None:
            return
        made = []
        for season in self._floors:
            # The last top of a season whose board is gone stays readable.
            with suppress(BoardUnavailable):
                made.append(await self._making.make(season))
        await self._book.publish(lease, made)
        await self._follow()
