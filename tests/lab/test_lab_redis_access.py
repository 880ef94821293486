"""The lab's client keeps its own patience."""

import socket
import time

import pytest
import redis

from lab import redis_access
from lab.redis_access import connect


def test_an_address_cannot_make_the_lab_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that never answers costs the lab's own timeout, whatever the URL says."""
    monkeypatch.setattr(redis_access, "TIMEOUT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        wishes = "socket_timeout=600&socket_connect_timeout=600&retry_on_timeout=yes"
        began = time.monotonic()
        with (
            connect(f"redis://127.0.0.1:{port}/0?{wishes}") as client,
            pytest.raises(redis.TimeoutError),
        ):
            client.ping()

    assert time.monotonic() - began < 60
