"""Lua scripts sent as plain EVALSHA commands."""

import hashlib
from collections.abc import Sequence

from redis.exceptions import NoScriptError

from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.packing import pack
from target_service.redis_wire.pipeline import Pipeline
from target_service.redis_wire.request import Answers


class Script:
    """A script's text, its digest, and the command that loads it."""

    def __init__(self, source: str) -> None:
        self.digest = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
        self.load = Command(pack("SCRIPT", "LOAD", source), Uncounted())

    def call(self, key: str, *arguments: str) -> bytes:
        """Return the packed call of this script on one key."""
        return self.call_on((key,), *arguments)

    def call_on(self, keys: Sequence[str], *arguments: str) -> bytes:
        """Return the packed call of this script on several keys of one slot."""
        return pack("EVALSHA", self.digest, str(len(keys)), *keys, *arguments)

    async def run_after(
        self, pipeline: Pipeline, before: Sequence[Command], command: Command, deadline: float
    ) -> Answers:
        """Return the answers to the commands before the call, and to the call."""
        try:
            return await pipeline.run((*before, command), deadline)
        except NoScriptError:
            replies, as_of = await pipeline.run((self.load, *before, command), deadline)
            return Answers(replies[1:], as_of)

    async def run(self, pipeline: Pipeline, command: Command, deadline: float) -> Answers:
        """Return the answer to the call; a script the server does not know is loaded once."""
        return await self.run_after(pipeline, (), command, deadline)
