"""The lab's own, careful access to a Redis server."""

from collections.abc import Iterable

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lab.errors import UsageError

TIMEOUT_SECONDS = 2.0
_SHOWN_KEYS = 5


def connect(url: str) -> redis.Redis:
    """A client that never retries and never waits long."""
    return redis.Redis.from_url(
        url,
        decode_responses=True,
        protocol=2,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
    )


def clear_boards(url: str, keys: Iterable[str]) -> int:
    """Unlink our own boards by name, and only in a database that holds nothing else.

    Returns how many keys were unlinked.

    Raises:
        UsageError: the server does not answer, or the database holds keys that are not ours.
    """
    boards = list(keys)
    try:
        with connect(url) as client:
            present = [key for key in boards if client.exists(key)]
            if client.dbsize() != len(present):
                raise UsageError(_others(client, set(boards)))
            return int(client.unlink(*present)) if present else 0
    except redis.RedisError as error:
        raise UsageError(f"REDIS_URL={url} does not answer: {error}.") from None


def _others(client: redis.Redis, boards: set[str]) -> str:
    found = [key for key in client.scan_iter(count=100) if key not in boards][:_SHOWN_KEYS]
    return (
        "REDIS_URL names a database that holds keys which are not ours "
        f"({', '.join(map(repr, found))}): choose an empty database, such as /1."
    )
