"""Taking Redis away with its data, and holding the projector meanwhile."""

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
import redis

from lab.errors import PartFailed
from lab.job_pauses import PROJECTOR, paused_job
from lab.stack.embedded import EmbeddedStack
from lab.stack.redis import answers, connect, embedded_redis, find_server
from lab.stack.stack import Session
from lab.terminal import outage
from lab.terminal.outage import seen_until


def _holds(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM holds")]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A file with the table that holds are in."""
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE holds (name TEXT PRIMARY KEY, until_ms INTEGER NOT NULL)")
    return path


def test_redis_comes_back_with_what_it_had(tmp_path: Path, session: Session) -> None:
    """Shut down, it is gone; begun again, it has its data at the old address, and one log."""
    server, url = embedded_redis("The Redis server", find_server(None), tmp_path, session)
    server.begin()
    try:
        with connect(url) as client:
            client.zadd("board", {"ann": 5})
        EmbeddedStack(url, "", (server, server)).shut_down_redis()
        was_gone = not answers(url)
        server.begin()
        with connect(url) as client:
            found = client.zscore("board", "ann")
    finally:
        server.end()

    assert was_gone
    assert 5 == found
    assert 2 == (tmp_path / "redis.log").read_text().count("Ready to accept connections")


def test_a_redis_of_somebody_else_is_not_shut_down(tmp_path: Path, session: Session) -> None:
    """A stack on REDIS_URL has no server of its own."""
    server, url = embedded_redis("The Redis server", find_server(None), tmp_path, session)
    server.begin()
    try:
        with pytest.raises(PartFailed, match="not the lab's own"):
            EmbeddedStack(url, "", (server,)).shut_down_redis()
        assert answers(url)
    finally:
        server.end()


def test_a_redis_that_is_gone_cannot_be_shut_down(tmp_path: Path, session: Session) -> None:
    """It is told in a sentence."""
    server, url = embedded_redis("The Redis server", find_server(None), tmp_path, session)
    stack = EmbeddedStack(url, "", (server, server))

    # redis-py takes a refused connection for a server that has just gone
    stack.shut_down_redis()

    with pytest.raises(redis.ConnectionError), connect(url) as client:
        client.ping()


def test_the_projector_is_held_as_long_as_the_block_runs(ledger: Path) -> None:
    """Its row is there inside, and gone afterwards, also when the block fails."""

    def fail_inside() -> None:
        with paused_job(ledger, PROJECTOR):
            inside.extend(_holds(ledger))
            raise RuntimeError("of the block")

    inside: list[str] = []
    with pytest.raises(RuntimeError, match="of the block"):
        fail_inside()

    assert ["projector"] == inside
    assert [] == _holds(ledger)


def test_a_missing_ledger_is_not_made(tmp_path: Path) -> None:
    """The lab holds a projector that there is, or says so."""
    path = tmp_path / "none.db"

    with pytest.raises(PartFailed, match="cannot be written"), paused_job(path, PROJECTOR):
        pass

    assert not path.exists()


def test_what_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the patience is over the last look stands, for the report to judge."""
    slept = [0.0]
    clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=slept.append)
    monkeypatch.setattr(outage, "time", clock)
    monkeypatch.setattr(outage, "_PATIENCE_SECONDS", 2.0)
    monkeypatch.setattr(outage, "_POLL_SECONDS", 0.5)
    looks = iter(range(1_000))

    assert seen_until(lambda: next(looks), lambda seen: seen == 2) == 2
    assert sum(slept) == 1.0
    # at 0, 0.5, 1, 1.5 and 2 s of the patience
    assert seen_until(lambda: next(looks), lambda seen: seen < 0) == 7
    assert sum(slept) == 3.0
