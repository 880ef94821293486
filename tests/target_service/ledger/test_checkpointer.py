"""What is in the write-ahead log reaches the file, and the log stays short."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from target_service.ledger import checkpointer
from target_service.ledger.checkpointer import Checkpointer
from target_service.ledger.store import Store

_WAIT_SECONDS = 60
_PAGE = 4_096
# Holds SQLite's lock for checkpoints, its 121st byte, until its input ends.
_COPYING_ELSEWHERE = """
import fcntl, sys
with open(sys.argv[1], "r+b") as shared:
    fcntl.lockf(shared, fcntl.LOCK_EX, 1, 121)
    print(flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A ledger's file with a table of another part, and a checkpointer that runs often."""
    monkeypatch.setattr(checkpointer, "_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(checkpointer, "_LONG_LOG_PAGES", 200)
    store = Store(tmp_path / "ledger.db", "normal", patience_seconds=_WAIT_SECONDS)
    store.prepare()
    with closing(store.connect()) as connection:
        connection.execute("CREATE TABLE words (word TEXT NOT NULL)")
    yield store
    store.process_lock.close()


def _write(store: Store, connection: sqlite3.Connection, word: str) -> None:
    with store.write_transaction(connection):
        connection.execute("INSERT INTO words VALUES (?)", (word,))


def _words_without_the_log(store: Store) -> list[str] | None:
    """What the file alone says, without its log; None during a checkpoint.

    Another process reads it: one that closes the file drops all locks it has on it.
    """
    alone = store.path.with_name("alone.db")
    subprocess.run(["cp", store.path, alone], check=True)
    with closing(sqlite3.connect(f"{alone.as_uri()}?immutable=1", uri=True)) as connection:
        try:
            found = connection.execute("SELECT word FROM words ORDER BY rowid").fetchall()
        except sqlite3.DatabaseError:
            return None
    return [word for (word,) in found]


def _await_words(store: Store, expected: list[str]) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while _words_without_the_log(store) != expected and time.monotonic() < deadline:
        time.sleep(0.01)
    assert _words_without_the_log(store) == expected


def test_what_was_written_reaches_the_file(store: Store) -> None:
    """Whether it was there before the checkpointer or came later."""
    with closing(store.connect()) as connection:
        _write(store, connection, "before")
        copying = Checkpointer(Store(store.path, "normal"))
        copying.start()
        _await_words(store, ["before"])
        _write(store, connection, "after")
        _await_words(store, ["before", "after"])
        copying.close()


def test_what_another_process_was_to_copy_is_copied_when_that_one_dies(store: Store) -> None:
    """Although nothing more is written that would wake the checkpointer."""
    index = store.path.with_name("ledger.db-shm")
    with closing(store.connect()) as connection:
        _write(store, connection, "left")
        with subprocess.Popen(
            [sys.executable, "-c", _COPYING_ELSEWHERE, index],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as other:
            assert other.stdout is not None
            other.stdout.readline()
            copying = Checkpointer(Store(store.path, "normal"))
            copying.start()
            time.sleep(0.2)
            assert [] == _words_without_the_log(store)
            other.kill()
        _await_words(store, ["left"])
        copying.close()


def test_the_log_stays_short_while_others_write_without_a_break(store: Store) -> None:
    """Twenty times what counts as a long log is written, and the log's file stays a part of it."""
    copying = Checkpointer(Store(store.path, "normal"))
    copying.start()
    log = store.path.with_name("ledger.db-wal")
    with closing(store.connect()) as connection:
        for number in range(4_000):
            _write(store, connection, f"{number} " + "x" * _PAGE)
        _await_words(store, [f"{number} " + "x" * _PAGE for number in range(4_000)])
        assert 0 < log.stat().st_size < 4_000 * _PAGE
    copying.close()


def test_a_long_log_that_others_hold_is_copied_later(store: Store) -> None:
    """A process lock held too long stops neither the checkpointer nor any writer."""
    copying = Checkpointer(Store(store.path, "normal", patience_seconds=0.01))
    with closing(store.connect()) as connection, closing(store.connect()) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM words").fetchone()
        for _ in range(300):
            _write(store, connection, "x" * _PAGE)
        with store.process_lock.held():
            copying.start()
            time.sleep(0.2)
            reader.execute("COMMIT")
        _await_words(store, ["x" * _PAGE] * 300)
    copying.close()
