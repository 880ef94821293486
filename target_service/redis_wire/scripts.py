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

    async def run(
        self, pipeline: Pipeline, commands: Sequence[Command], deadline: float
    ) -> Answers:
        """Return the answers to commands with a call of this script among them.

        A script the server does not know is loaded, and the commands are sent once more.
        """
        try:
            return await pipeline.run(commands, deadline)
        except NoScriptError:
            replies, as_of = await pipeline.run((self.load, *commands), deadline)
            return Answers(replies[1:], as_of)
