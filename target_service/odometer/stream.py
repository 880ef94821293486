"""The stream `races` on Redis, as the odometer reads it.

Each entry has a field `races` that holds what POST /v1/races would be sent. All workers are
consumers of one group: each entry goes to one of them, and stays pending until it is
acknowledged. What has been applied is deleted as well, or the stream would grow for ever: the
lake is the record.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from redis.exceptions import ResponseError

from target_service.redis.commands import Command, RedisUnavailable, Uncounted, pack
from target_service.redis.pipeline import Pipeline

STREAM = "races"
GROUP = "odometer"
FIELD = "races"
ENTRIES_AT_ONCE = 200
# Whoever deletes a consumer deletes what it has pending, for good: so not a moment may lie
# between the look and the deletion, in which a read that was on its way could still arrive.
_FORGET = """
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) > 0 then return 0 end
return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
"""


class Entry(NamedTuple):
    """An entry's id, its payload (None unless it has one field `races`), and all its text."""

    id: str
    payload: str | None
    text: str


class NoStream(Exception):
    """Nobody has added anything yet."""


class Stream:
    """Reads entries as one consumer of the group."""

    def __init__(self, pipeline: Pipeline, consumer: str) -> None:
        self._pipeline = pipeline
        self._consumer = consumer
        self._at_once = ENTRIES_AT_ONCE

    async def read(self) -> Sequence[Entry]:
        """Return entries that no consumer has had yet; raises NoStream."""
        try:
            reply = await self._fetch(
                *("XREADGROUP", "GROUP", GROUP, self._consumer),
                *("COUNT", self._at_once, "STREAMS", STREAM, ">"),
            )
        except ResponseError as error:
            if not str(error).startswith("NOGROUP"):
                raise
            await self._make_group()
            return ()
        return self._entries([raw for _, found in reply or () for raw in found])

    async def claim(self, idle_ms: int) -> Sequence[Entry]:
        """Take over entries that their consumers have not acknowledged for so long."""
        found: list[Entry] = []
        cursor = "0-0"
        while True:
            try:
                cursor, raw, *_ = await self._fetch(
                    *("XAUTOCLAIM", STREAM, GROUP, self._consumer, idle_ms, cursor),
                    *("COUNT", self._at_once),
                )
            except RedisUnavailable:
                # Given up, those that came before would come first again, and never be taken.
                if found:
                    return found
                raise
            found += self._entries(raw)
            if cursor == "0-0" or len(found) >= self._at_once:
                return found

    async def done(self, ids: Sequence[str]) -> None:
        """Acknowledge entries and delete them."""
        commands = (
            Command(pack("XACK", STREAM, GROUP, *ids), Uncounted()),
            Command(pack("XDEL", STREAM, *ids), Uncounted()),
        )
        await self._pipeline.run(commands)

    async def forget_dead(self, idle_ms: int) -> None:
        """Delete consumers that have left nothing pending and have not asked for so long."""
        for raw in await self._run("XINFO", "CONSUMERS", STREAM, GROUP):
            told = dict(zip(raw[::2], raw[1::2], strict=True))
            if told["pending"] == 0 and told["idle"] > idle_ms:
                await self._forget(told["name"])

    async def forget_consumer(self) -> None:
        """Leave the group; what is still pending stays for the others to claim."""
        await self._forget(self._consumer)

    async def _forget(self, consumer: str) -> None:
        await self._run("EVAL", _FORGET, 1, STREAM, GROUP, consumer)

    async def _fetch(self, *arguments: str | int) -> Any:  # noqa: ANN401  what Redis answers
        """Ask for entries; fewer the next time if they were too many to come in time."""
        try:
            return await self._run(*arguments)
        except RedisUnavailable:
            self._at_once = max(1, self._at_once // 4)
            raise

    def _entries(self, came: Sequence[Any]) -> Sequence[Entry]:
        """Return the entries that came, and ask for more the next time: so many are no trouble."""
        if came:
            self._at_once = min(ENTRIES_AT_ONCE, 2 * self._at_once)
        return [_entry(raw) for raw in came]

    async def _make_group(self) -> None:
        """Make the group from the stream's beginning, but never the stream."""
        try:
            await self._run("XGROUP", "CREATE", STREAM, GROUP, "0")
        except ResponseError as error:
            told = str(error)
            if told.startswith("BUSYGROUP"):
                return
            if "requires the key to exist" in told:
                raise NoStream from error
            raise

    async def _run(self, *arguments: str | int) -> Any:  # noqa: ANN401  what Redis answers
        command = Command(pack(*map(str, arguments)), Uncounted())
        (reply,), _ = await self._pipeline.run((command,))
        return reply


def _entry(raw: Any) -> Entry:  # noqa: ANN401  what Redis answers
    entry_id, fields = raw
    told = fields or ()
    payloads = [value for name, value in zip(told[::2], told[1::2], strict=True) if name == FIELD]
    payload = payloads[0] if len(payloads) == 1 else None
    return Entry(entry_id, payload, " ".join(told) if payload is None else payload)
