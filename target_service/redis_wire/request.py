"""The commands that one caller waits for together."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from target_service.redis_wire.command import Command, Reply
from target_service.redis_wire.errors import RedisUnavailable

if TYPE_CHECKING:
    from redis.exceptions import ResponseError


class Answers(NamedTuple):
    """The replies in order, and the moment just before their commands were written."""

    replies: list[Reply]
    as_of: str


class Request:
    """Commands in order, and the future of their answers."""

    __slots__ = ("commands", "error", "future", "replies", "weight")

    def __init__(self, commands: Sequence[Command], future: asyncio.Future[Answers]) -> None:
        self.commands = commands
        self.future = future
        self.replies: list[Reply] = []
        self.error: ResponseError | None = None
        self.weight = sum(command.weight for command in commands)

    def answer(self, as_of: str) -> None:
        """Hand over the replies, or the first error among them, unless nobody waits any more."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(Answers(self.replies, as_of))
        else:
            self.future.set_exception(self.error)

    def fail(self, reason: str) -> None:
        """Tell the caller that no whole answer will come."""
        if not self.future.done():
            self.future.set_exception(RedisUnavailable(reason))
