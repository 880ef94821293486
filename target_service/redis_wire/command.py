"""A packed Redis command, and whoever counts what became of it."""

from typing import Any, NamedTuple, Protocol, TypeAlias

from redis.exceptions import ResponseError

# What a command answers is known where the command is made, not on the wire.
Reply: TypeAlias = Any


class Tally(Protocol):
    """Counts what became of the commands of one kind."""

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count a command that Redis ran and answered."""

    def refused(self, error: ResponseError) -> None:
        """Count a command that Redis answered with an error."""

    def unanswered(self) -> None:
        """Count a command whose bytes were written and whose answer never came."""


class Uncounted:
    """The tally of the service's own upkeep, which is no part of any measurement."""

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count nothing."""

    def refused(self, error: ResponseError) -> None:
        """Count nothing."""

    def unanswered(self) -> None:
        """Count nothing."""


class Command(NamedTuple):
    """One command as bytes, and its weight: about as many times the work of the smallest one."""

    packed: bytes
    tally: Tally
    weight: int = 1
