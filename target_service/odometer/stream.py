"""The stream `races` on Redis, as the odometer reads it.

Each entry has a field `races` that holds what POST /v1/races would be sent. All workers are
consumers of one group: each entry goes to one of them, and stays pending until it is
acknowledged. What has been applied is deleted as well, or the stream would grow for ever: the
lake is the record.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from redis.exceptions import ResponseError

from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline

STREAM = "races"
GROUP = "odometer"
FIELD = "races"
ENTRIES_AT_ONCE = 200


class Entry(NamedTuple):
    """An entry's id and payload; None when it has no field `races`."""

    id: str
    payload: str | None


class NoStream(Exception):
    """Nobody has added anything yet."""


class Stream:
    """Reads entries as one consumer of the group."""

    def __init__(self, pipeline: Pipeline, consumer: str) -> None:
        self._pipeline = pipeline
        self._consumer = consumer

    async def read(self) -> Sequence[Entry]:
        """Return entries that no consumer has had yet; raises NoStream."""
        try:
            reply = await self._run(
                *("XREADGROUP", "GROUP", GROUP, self._consumer),
                *("COUNT", ENTRIES_AT_ONCE, "STREAMS", STREAM, ">"),
            )
        except ResponseError as error:
            if not str(error).startswith("NOGROUP"):
                raise
            await self._make_group()
            return ()
        return [] if reply is None else [_entry(raw) for _, found in reply for raw in found]

    async def claim(self, idle_ms: int) -> Sequence[Entry]:
        """Take over entries that their consumers have not acknowledged for so long."""
        found: list[Entry] = []
        cursor = "0-0"
        while True:
            cursor, raw, *_ = await self._run(
                *("XAUTOCLAIM", STREAM, GROUP, self._consumer, idle_ms, cursor),
                *("COUNT", ENTRIES_AT_ONCE),
            )
            found += [_entry(one) for one in raw]
            if cursor == "0-0" or len(found) >= ENTRIES_AT_ONCE:
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
                await self._run("XGROUP", "DELCONSUMER", STREAM, GROUP, told["name"])

    async def forget_consumer(self) -> None:
        """Leave the group; what is still pending stays for the others to claim."""
        pending = await self._run("XPENDING", STREAM, GROUP, "-", "+", 1, self._consumer)
        if not pending:
            await self._run("XGROUP", "DELCONSUMER", STREAM, GROUP, self._consumer)

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
    values = dict(zip(fields[::2], fields[1::2], strict=True)) if fields else {}
    return Entry(entry_id, values.get(FIELD))
