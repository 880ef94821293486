"""What can go wrong on the wire, and what Redis itself refuses with, in its own words.

RedisUnavailable     no whole answer came in time, or nothing could be sent
└── QueueFull        too much is waiting already, so nothing was sent
"""

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
