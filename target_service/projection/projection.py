"""Bringing what the ledger holds to the boards in Redis, and telling whether they are behind."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NoReturn

from redis.exceptions import ResponseError

from target_service.ledger.events import Standing
from target_service.projection.ack_tracker import Marking
from target_service.projection.guarded_writes import MARK, GuardedKey, Written, companion
from target_service.projection.inspection import Conditions, Mark, reading
from target_service.redis.commands import Command, RedisUnavailable, Reply, Uncounted, pack
from target_service.redis.pipeline import Pipeline


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


class Projection:
    """Writes to boards under the guard of versions, and notes what is known to have arrived.

    A board that may not be written to answers so, a restarted server does not know the script,
    and an answer that never came says nothing: in each case the change stays unprojected.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        keys: Mapping[str, GuardedKey],
        conditions: Conditions,
        marking: Marking,
    ) -> None:
        self._pipeline = pipeline
        self._keys = keys
        self._conditions = conditions
        self._marking = marking

    async def write(self, key: str, player: str, score: int, version: int, deadline: float) -> bool:
        """Set one player's score; tell whether the board is known to have it, or a newer one."""
        command = self._keys[key].write(player, score, version)
        return await self._send(key, command, range(version, version + 1), deadline)

    async def write_many(
        self,
        key: str,
        players: Sequence[str],
        scores: Sequence[int],
        versions: range,
        deadline: float,
    ) -> bool:
        """Set many scores in order; tell whether the board is known to have all, or newer ones."""
        numbers: Sequence[int] = versions
        if len(set(players)) < len(players):
            latest = {
                player: (score, version)
                for player, score, version in zip(players, scores, versions, strict=True)
            }
            players = list(latest)
            scores, numbers = zip(*latest.values(), strict=True)
        command = self._keys[key].write_many(players, scores, numbers)
        return await self._send(key, command, versions, deadline)

    async def replay(self, key: str, standings: Sequence[Standing]) -> Written | None:
        """Set the scores of these standings; raises what the pipeline does."""
        command = self._keys[key].write_many(
            [one.player_id for one in standings],
            [one.score for one in standings],
            [one.version for one in standings],
        )
        (reply,), _ = await self._pipeline.run((command,))
        written = Written.of(reply)
        if written is not None:
            self._conditions.saw(key, written)
        return written

    async def _send(
        self, key: str, command: Command, changes: Sequence[int], deadline: float
    ) -> bool:
        try:
            (reply,), _ = await self._pipeline.run((command,), deadline)
        except (RedisUnavailable, ResponseError):
            reply = None
        written = Written.of(reply)
        if written is None:
            self._conditions.doubt(key)
            return False
        self._marking.add(key, written, changes)
        return True


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
