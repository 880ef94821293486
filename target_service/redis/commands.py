"""Redis commands as bytes, the metrics of their outcomes, and the errors."""

from typing import Any, NamedTuple, Protocol, TypeAlias

from hiredis import pack_command
from redis.exceptions import ResponseError


def refusal_code(error: ResponseError) -> str:
    """Return the code of Redis' refusal, such as READONLY, NOPERM or OOM; ERR where it has none."""
    return error.status_code or "ERR"


def refusal_words(error: ResponseError) -> str:
    """Return Redis' refusal in its own words, with the code that redis-py removes from some."""
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


# The type of a reply is known where the command is made.
Reply: TypeAlias = Any


class CommandMetrics(Protocol):
    """Counts the outcomes of the commands of one kind."""

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count a command that Redis ran and answered."""

    def refused(self, error: ResponseError) -> None:
        """Count a command that Redis answered with an error."""

    def unanswered(self) -> None:
        """Count a command whose bytes were written and whose answer never came."""


class Uncounted:
    """For the service's own upkeep commands, which are no part of any measurement."""

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count nothing."""

    def refused(self, error: ResponseError) -> None:
        """Count nothing."""

    def unanswered(self) -> None:
        """Count nothing."""


class Command(NamedTuple):
    """One command as bytes, and its weight: its work in units of the smallest command."""

    packed: bytes
    metrics: CommandMetrics
    weight: int = 1
