"""Polling one path as fast as it is answered, over many connections from one thread."""

import re
import selectors
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

import redis

_LENGTH = re.compile(rb"content-length: (\d+)")


class Polled(NamedTuple):
    """Answers and the time they took."""

    answers: int
    seconds: float

    @property
    def per_second(self) -> float:
        """The rate."""
        return self.answers / self.seconds


def poll(port: int, path: str, connections: int, enough: Callable[[int, float], bool]) -> Polled:
    """Keep one request on its way per connection until it is enough (answers, seconds)."""
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    selector = selectors.DefaultSelector()
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(connections)]
    received = dict.fromkeys(sockets, b"")
    began = time.perf_counter()
    for one in sockets:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(one, selectors.EVENT_READ, one)
        one.sendall(request)
    answers, under_way = 0, connections
    while under_way:
        for key, _ in selector.select():
            ready: socket.socket = key.data
            received[ready] += ready.recv(65_536)
            if not _is_whole(received[ready]):
                continue
            assert received[ready].startswith(b"HTTP/1.1 200"), received[ready]
            received[ready] = b""
            answers += 1
            if enough(answers + under_way - 1, time.perf_counter() - began):
                under_way -= 1
            else:
                ready.sendall(request)
    seconds = time.perf_counter() - began
    for one in sockets:
        one.close()
    selector.close()
    return Polled(answers, seconds)


def _is_whole(answer: bytes) -> bool:
    head, separator, body = answer.partition(b"\r\n\r\n")
    length = _LENGTH.search(head)
    return bool(separator and length and len(body) >= int(length[1]))


def total_reads(client: redis.Redis) -> int:
    """How often the server has read a total's key, by its own count."""
    stats = client.info("commandstats")
    return int(stats.get("cmdstat_hgetall", {}).get("calls", 0))
