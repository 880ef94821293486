"""What a server executes, as its own MONITOR tells it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from redis import Redis
from redis.client import Monitor

_END = "all is executed"


@contextmanager
def executed_by(redis: Redis) -> Iterator[list[dict[str, Any]]]:
    """Collect the commands that a server executes meanwhile; the list is whole at the end."""
    executed: list[dict[str, Any]] = []
    with redis.monitor() as monitor, ThreadPoolExecutor(1) as pool:  # type: ignore[no-untyped-call]  # redis-py
        watching = pool.submit(_watch, monitor, executed)
        try:
            yield executed
        finally:
            # Sent after a failure too: the watcher reads on until it comes.
            redis.echo(_END)
            watching.result()


def _watch(monitor: Monitor, executed: list[dict[str, Any]]) -> None:
    for one in monitor.listen():  # type: ignore[no-untyped-call]  # redis-py
        if _END in one["command"]:
            return
        executed.append(one)
