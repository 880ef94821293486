"""The lab's client keeps its own patience, and tries a server before a run counts on it."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from lab.errors import UsageError
from lab.stack import redis as redis_access
from lab.stack.redis import KnownServer, clear_boards, connect, embedded_redis, find_server
from lab.stack.stack import Session

BOARD = "lb:eu:solo:s1"


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


@pytest.fixture
def server(session: Session, tmp_path: Path) -> Iterator[str]:
    """The address of a server of the tests' own."""
    part, url = embedded_redis("Redis", find_server(None), tmp_path, session)
    part.begin()
    yield url
    part.end()


@pytest.mark.parametrize(
    ("orders", "user", "sentence"),
    [
        (
            [("REPLICAOF", "127.0.0.1", "1")],
            "",
            ("refuses removing a key (UNLINK): READONLY You can't write against a read only "
            "replica. Name the primary, of which this is a replica."),
        ),
        (
            [("CONFIG", "SET", "maxmemory", "1")],
            "",
            ("refuses a write (ZADD): OOM command not allowed when used memory > 'maxmemory'. "
            "Raise its maxmemory, or name a server with room."),
        ),
        (
            [("ACL", "SETUSER", "plain", "on", ">p", "~*", "+@all", "-@scripting")],
            "plain:p@",
            ("refuses loading a script (SCRIPT LOAD): NOPERM User plain has no permissions to run "
            "the 'script|load' command. Give its user that right, or name another user."),
        ),
        (
            [("ACL", "SETUSER", "keeper", "on", ">p", "~*", "+@all", "-unlink")],
            "keeper:p@",
            ("refuses removing a key (UNLINK): NOPERM User keeper has no permissions to run "
            "the 'unlink' command. Give its user that right, or name another user."),
        ),
    ],
    ids=["replica", "full", "no scripts", "no unlinking"],
)  # fmt: skip
def test_a_server_that_cannot_be_written_to_is_refused_before_the_load(
    orders: list[tuple[str, ...]], user: str, sentence: str, server: str
) -> None:
    """With what was refused, in Redis' own words, and the way out; nothing is left behind."""
    with connect(server) as client:
        for order in orders:
            client.execute_command(*order)
    known = KnownServer(server.replace("//", f"//{user}"), "REDIS_URL=x", "choose another")

    with pytest.raises(UsageError) as refused:
        clear_boards(known, [BOARD])

    assert str(refused.value) == f"REDIS_URL=x {sentence}"
    with connect(server) as client:
        assert client.dbsize() == 0


def test_a_server_that_takes_everything_is_left_empty(server: str) -> None:
    """The trial leaves no key."""
    assert clear_boards(KnownServer(server, "REDIS_URL=x", "choose another"), [BOARD]) == 0
    with connect(server) as client:
        assert client.dbsize() == 0
