"""Bringing what the ledger holds to the boards in Redis."""

from collections.abc import Mapping, Sequence

from redis.exceptions import ResponseError

from target_service.ledger.standings import Standing
from target_service.projection.conditions import Conditions
from target_service.projection.guard_script import GuardedKey, Written
from target_service.projection.marking import Marking
from target_service.redis_wire.command import Command
from target_service.redis_wire.errors import RedisUnavailable
from target_service.redis_wire.pipeline import Pipeline


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
