"""Redis commands as bytes, whoever counts what became of them, and what can go wrong."""

from typing import Any, NamedTuple, Protocol, TypeAlias

from hiredis import pack_command
from redis.exceptions import ResponseError


def refusal_code(error: ResponseError) -> str:
    """Return the code of Redis' refusal, such as READONLY, NOPERM or OOM; ERR where it has none."""
    return error.status_code or "ERR"


def refusal_words(error: ResponseError) -> str:
    """Return Redis' refusal in its own words, with the code that redis-py takes off some."""
    code, words = error.status_code, str(error)
    return words if not code or words.startswith(code) else f"{code} {words}"


class RedisUnavailable(Exception):
    """Redis gave no whole answer in time."""


class QueueFull(RedisUnavailable):
    """Too many commands are waiting for Redis already."""


def pack(*arguments: str | int) -> bytes:
    """Return the command in the form that goes over the wire."""
    packed: bytes = pack_command(arguments)  # type: ignore[arg-type]  # its stub has one argument
    return packed


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
