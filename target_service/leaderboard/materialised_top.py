"""The global top put together once an interval, by one worker for all."""

import asyncio
import logging
import math
import os
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from redis.exceptions import ResponseError

from target_service.http.fields import K_RANGE
from target_service.http.problems import BoardUnavailable
from target_service.leaderboard.boards import any_behind
from target_service.leaderboard.entries import merge
from target_service.leaderboard.key_commands import Store
from target_service.leaderboard.top_store import Book, Floor, MadeTop, monotonic_us
from target_service.ledger.errors import LedgerError
from target_service.ledger.store import Store as LedgerStore
from target_service.metrics import Metrics, TopSeries
from target_service.redis.commands import Command, RedisUnavailable, Reply, Uncounted, pack
from target_service.settings import Settings


class Copies:
    """The newest top of each season that this worker knows; an older one never replaces it."""

    def __init__(self, series: TopSeries) -> None:
        self._tops: dict[str, MadeTop] = {}
        self._series = series

    def get(self, season: str) -> MadeTop | None:
        """Return the season's top, if there is one yet."""
        return self._tops.get(season)

    def as_of_us(self, season: str) -> int:
        """Return the moment of the season's top; 0 when there is none."""
        top = self._tops.get(season)
        return 0 if top is None else top.as_of_us

    def take(self, tops: Iterable[MadeTop]) -> None:
        """Take over those that are newer."""
        for top in tops:
            if top.as_of_us > self.as_of_us(top.season):
                self._tops[top.season] = top
        if self._tops:
            self._series.as_of.set(min(map(_moment, self._tops.values())))


def _moment(top: MadeTop) -> float:
    """When a top was put together, by this machine's clock; one that was set back counts anew."""
    now = time.time()
    told = top.as_of_us / 1_000_000
    return told if told <= now else now - (top.age_seconds() or 0)


_TIME = Command(pack("TIME"), Uncounted())


class Making:
    """Reads as little of each partition as proves the first thousand, each in one command.

    A thousand of each partition would suffice, and most of them would be thrown away. So every
    partition is first asked for twice its fair share, and one whose last entry is still among the
    first thousand is asked again, for all of them. It is the threshold algorithm of Fagin, Lotem
    and Naor with a single step.
    """

    def __init__(self, store: Store, depth: int = K_RANGE[1]) -> None:
        self._store = store
        self._depth = depth

    async def make(self, season: str) -> MadeTop:
        """Read and merge; raises what the pipeline does, or BoardUnavailable."""
        store, depth = self._store, self._depth
        keys = store.boards.keys_of(season)
        share = min(depth, math.ceil(2 * depth / len(keys)))
        commands = [store.commands[key].top(share) for key in keys]
        made_us = monotonic_us()
        # The server runs them in this order, so that no partition is read before this moment.
        ((seconds, microseconds), *found), _ = await store.pipeline.run(
            [_TIME, *commands, *store.marks(*keys)]
        )
        read = dict(zip(keys, found, strict=False))
        marks = found[len(keys) :]
        depths = dict.fromkeys(keys, share)
        while deeper := unproven(read, depths, depth):
            again = [store.commands[key].top(depth) for key in deeper]
            found, _ = await store.pipeline.run([*again, *store.marks(*keys)])
            read |= zip(deeper, found, strict=False)
            marks = found[len(deeper) :]
            depths |= dict.fromkeys(deeper, depth)
        entries, candidates = merge(read.items(), depth)
        recovering = any_behind(store.freshness, keys, marks, [not read[key] for key in keys])
        as_of_us = int(seconds) * 1_000_000 + int(microseconds)
        return MadeTop(season, as_of_us, candidates, recovering, entries, made_us)


def unproven(read: Mapping[str, Reply], depths: Mapping[str, int], k: int) -> list[str]:
    """Name the partitions of which an entry that was not read may be among the first k."""
    entries, _ = merge(read.items(), k)
    last = (entries[-1].score, entries[-1].player) if len(entries) == k else None
    return [
        key
        for key, reply in read.items()
        if depths[key] < k
        and len(reply) == 2 * depths[key]
        and (last is None or (int(float(reply[-1])), reply[-2]) > last)
    ]


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


# Two rounds may be late before another worker takes over, and a short interval leaves some time.
_LEASE_ROUNDS = 3
_LEASE_AT_LEAST_MS = 2_000


class Tops(Protocol):
    """Keeps the newest top of each season."""

    async def current(self, season: str) -> MadeTop | None:
        """Return a top that is no older than any that was answered before, if there is one."""

    async def start(self) -> None:
        """Have the tops before the first request, if they can be had soon."""

    async def keep(self) -> None:
        """Keep them fresh for ever."""

    async def stop(self) -> None:
        """Give back what was taken."""


def make_tops(settings: Settings, store: Store, metrics: Metrics) -> Tops:
    """Return tops shared through the ledger's file, or each worker's own without one."""
    making = Making(store)
    copies = Copies(TopSeries(metrics.registry))
    seconds = settings.top_interval_seconds
    if settings.ledger == "none":
        return OwnTops(making, copies, settings.seasons, seconds)
    lease_ms = max(_LEASE_AT_LEAST_MS, int(_LEASE_ROUNDS * seconds * 1_000))
    ledger = LedgerStore(settings.ledger_path, settings.ledger_sync)
    book = Book(ledger, f"{os.getpid()} {uuid.uuid4().hex}", lease_ms)
    floors = {
        season: Floor(floor_path(settings.ledger_path, season)) for season in settings.seasons
    }
    return SharedTops(making, copies, book, floors, seconds)


def floor_path(ledger: Path, season: str) -> Path:
    """Return the file through which the workers on a ledger share a season's floor."""
    return ledger.with_name(f"{ledger.name}-top-{season}")
