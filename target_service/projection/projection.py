"""Writing the ledger's scores to the boards in Redis, and judging whether boards are behind."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NoReturn

from redis.exceptions import ResponseError

from target_service.ledger.events import Standing
from target_service.projection.ack_tracker import AckTracker
from target_service.projection.guarded_writes import MARK, GuardedKey, Written, companion
from target_service.projection.inspection import Conditions, Mark, mark_commands
from target_service.redis.commands import Command, RedisUnavailable, Reply, Uncounted, pack
from target_service.redis.pipeline import Pipeline

_AGAIN_SECONDS = 0.5


class ProjectedFreshness:
    """Judges a board by the mark read beside it, and by what this process last saw.

    A guarded write never writes to a board that lost something, so a board that is there and has
    a mark is whole. An empty board has lost its scores if its mark counts any writes. Before a
    player is reported missing, the board is read once more.
    """

    def __init__(self, pipeline: Pipeline, conditions: Conditions) -> None:
        self._pipeline = pipeline
        self._conditions = conditions

    def check(self, key: str, mark: Reply, *, is_empty: bool) -> bool:
        """Tell whether the board may be behind; raises BoardUnavailable when it is gone."""
        epoch, writes, ready = mark
        if epoch is None or (is_empty and int(writes or 0)):
            self._raise_lost(key)
        is_behind = self._conditions.check(key) or epoch != ready
        if is_behind and is_empty:
            raise self._conditions.unavailable(key)
        return is_behind

    async def confirm(self, key: str) -> None:
        """Raise BoardUnavailable when the board has just been lost, or is not whole yet."""
        if self._conditions.check(key):
            raise self._conditions.unavailable(key)
        await self.require_whole((key,))

    async def require_whole(self, keys: Collection[str]) -> None:
        """Raise BoardUnavailable when one of the boards has just been lost, or begun anew."""
        commands = [command for key in keys for command in mark_commands(key)]
        try:
            replies, _ = await self._pipeline.run(commands)
        except (RedisUnavailable, ResponseError):
            self._raise_lost(next(iter(keys)))
        for key, found in zip(keys, zip(*[iter(replies)] * 3, strict=True), strict=True):
            mark = Mark.from_replies(*found)
            if mark.is_lost or mark.epoch != mark.ready:
                self._raise_lost(key)

    def _raise_lost(self, key: str) -> NoReturn:
        self._conditions.doubt(key)
        raise self._conditions.unavailable(key)


class Projection:
    """Writes newer versions to boards, and notes which changes are known to have arrived.

    A change stays unprojected when the board may not be written to, when a restarted server does
    not know the script, and when no answer came.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        keys: Mapping[str, GuardedKey],
        conditions: Conditions,
        ack_tracker: AckTracker,
    ) -> None:
        self._pipeline = pipeline
        self._keys = keys
        self._conditions = conditions
        self._ack_tracker = ack_tracker

    async def write_score(
        self, key: str, player: str, score: int, version: int, deadline: float
    ) -> bool:
        """Set one player's score; tell whether the board is known to have it, or a newer one."""
        command = self._keys[key].write_score(player, score, version)
        return await self._send(key, command, range(version, version + 1), deadline)

    async def write_scores(
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
        command = self._keys[key].write_scores(players, scores, numbers)
        return await self._send(key, command, versions, deadline)

    async def replay(self, key: str, standings: Sequence[Standing]) -> Written | None:
        """Set the scores of these standings; raises the errors of the pipeline."""
        command = self._keys[key].write_scores(
            [one.player_id for one in standings],
            [one.score for one in standings],
            [one.version for one in standings],
        )
        (reply,), _ = await self._pipeline.run((command,))
        written = Written.from_reply(reply)
        if written is not None:
            self._conditions.note_progress(key, written)
        return written

    async def _send(
        self, key: str, command: Command, changes: Sequence[int], deadline: float
    ) -> bool:
        try:
            (reply,), _ = await self._pipeline.run((command,), deadline)
        except (RedisUnavailable, ResponseError):
            reply = None
        written = Written.from_reply(reply)
        if written is None:
            self._conditions.doubt(key)
            return False
        self._ack_tracker.add(key, written, changes)
        return True


async def take_over(pipeline: Pipeline, keys: Iterable[str]) -> None:
    """Take the boards over from any ledger: without their marks no ledger trusts them."""
    commands = [Command(pack("UNLINK", companion(key, MARK)), Uncounted()) for key in keys]
    while True:
        try:
            await pipeline.run(commands)
        except (RedisUnavailable, ResponseError):
            await asyncio.sleep(_AGAIN_SECONDS)
        else:
            return
