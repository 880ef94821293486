"""Group commit, reads and plain work, each by one thread with a queue."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest
from ledger_opening import run

from target_service.ledger.bounded_queue import (
    BoundedQueue,
    GroupCommit,
    OneThread,
    QueuedItem,
    ReadQueue,
)
from target_service.ledger.errors import LedgerBusy, LedgerClosed
from target_service.ledger.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ledger's file with a table of another part."""
    store = Store(tmp_path / "ledger.db", "normal", patience_seconds=60)
    store.prepare()
    connection = store.connect()
    connection.execute("CREATE TABLE words (word TEXT NOT NULL)")
    connection.close()
    yield store
    store.process_lock.close()


class Serving:
    """Stores words, remembers the groups, and can be made to wait."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.has_begun = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()

    def __call__(self, connection: sqlite3.Connection, words: Sequence[str]) -> list[int]:
        """Store a group; a bad word spoils its transaction."""
        self.groups.append(list(words))
        self.has_begun.set()
        self.go_on.wait(60)
        connection.executemany("INSERT INTO words VALUES (?)", [(word,) for word in words])
        if "bad" in words:
            raise ValueError("bad")
        return [len(word) for word in words]


def _words(connection: sqlite3.Connection) -> list[str]:
    return [word for (word,) in connection.execute("SELECT word FROM words ORDER BY rowid")]


def test_what_gathers_meanwhile_is_one_group(store: Store) -> None:
    """Each caller gets its own answer, in order, once it is committed."""
    serving = Serving()
    serving.go_on.clear()

    async def scenario() -> list[int]:
        group_commit = GroupCommit("group commit", store, serving)
        group_commit.start()
        first = group_commit.submit("one")
        await asyncio.to_thread(serving.has_begun.wait, 60)
        rest = [group_commit.submit(word) for word in ("three", "seven")]
        serving.go_on.set()
        answers = await asyncio.gather(first, *rest)
        await group_commit.close()
        return answers

    assert run(scenario()) == [3, 5, 5]
    assert serving.groups == [["one"], ["three", "seven"]]
    connection = store.connect()
    assert _words(connection) == ["one", "three", "seven"]
    connection.close()


def test_a_bad_order_harms_its_sender_alone(store: Store) -> None:
    """The group is undone and every order tried on its own; nothing is stored twice."""
    serving = Serving()
    serving.go_on.clear()

    async def scenario() -> list[int | BaseException]:
        group_commit = GroupCommit("group commit", store, serving)
        group_commit.start()
        orders = [group_commit.submit(word) for word in ("first", "good", "bad", "fine")]
        serving.go_on.set()
        answers = await asyncio.gather(*orders, return_exceptions=True)
        await group_commit.close()
        return answers

    answers = run(scenario())
    assert [one if isinstance(one, int) else str(one) for one in answers] == [5, 4, "bad", 4]
    connection = store.connect()
    assert _words(connection) == ["first", "good", "fine"]
    connection.close()


def test_a_thread_that_is_not_open_refuses(store: Store) -> None:
    """Before it is opened and after it is closed, at once."""

    async def scenario() -> None:
        group_commit = GroupCommit("group commit", store, Serving())
        read_queue = ReadQueue("read queue", store)
        with pytest.raises(LedgerClosed, match="not open yet"):
            group_commit.submit("early")
        with pytest.raises(LedgerClosed, match="not open yet"):
            await read_queue.ask(_words)
        for one in (group_commit, read_queue):
            one.start()
            one.start()
            await one.close()
        with pytest.raises(LedgerClosed, match="is closed"):
            group_commit.submit("late")
        with pytest.raises(LedgerClosed, match="is closed"):
            await read_queue.ask(_words)

    run(scenario())


def test_a_question_sees_what_was_answered_before_it(store: Store) -> None:
    """A hundred times in a row; and a failing question fails for its caller only."""

    async def scenario() -> None:
        group_commit, read_queue = (
            GroupCommit("group commit", store, Serving()),
            ReadQueue("read queue", store),
        )
        group_commit.start()
        read_queue.start()
        for number in range(100):
            await group_commit.submit(str(number))
            assert (await read_queue.ask(_words))[-1] == str(number)
        good, bad = read_queue.ask(_words), read_queue.ask(lambda _: 1 // 0)
        answers = await asyncio.gather(good, bad, return_exceptions=True)
        assert isinstance(answers[0], list)
        assert isinstance(answers[1], ZeroDivisionError)
        await group_commit.close()
        await read_queue.close()

    run(scenario())


def test_others_that_keep_the_file_are_waited_for_and_no_longer(tmp_path: Path) -> None:
    """The order is refused as busy, and what follows is stored."""
    patient = Store(tmp_path / "ledger.db", "normal", patience_seconds=0.1)
    patient.prepare()
    other = Store(patient.path, "normal")

    def serve(_: sqlite3.Connection, orders: Sequence[str]) -> list[str]:
        return list(orders)

    async def scenario() -> None:
        group_commit = GroupCommit("group commit", patient, serve)
        group_commit.start()
        with other.process_lock.held(), pytest.raises(LedgerBusy):
            await group_commit.submit("kept out")
        assert await group_commit.submit("let in") == "let in"
        await group_commit.close()

    run(scenario())
    patient.process_lock.close()
    other.process_lock.close()


def test_a_queue_is_bounded_and_fair() -> None:
    """What does not fit is refused; first come, first served, up to a weight, until it closes."""

    async def scenario() -> None:
        queue: BoundedQueue[str] = BoundedQueue(10)
        queue.put(QueuedItem("huge", 50))
        with pytest.raises(LedgerBusy, match="50 already wait"):
            queue.put(QueuedItem("next"))
        assert [one.item for one in queue.take(1)] == ["huge"]
        for word in "abcde":
            queue.put(QueuedItem(word, 2))
        assert [one.item for one in queue.take(3)] == ["a", "b"]
        queue.close("shut")
        with pytest.raises(LedgerClosed, match="shut"):
            queue.put(QueuedItem("late"))
        assert [one.item for one in queue.take(100)] == ["c", "d", "e"]
        assert queue.take(100) == []

    run(scenario())


def test_later_work_waits_for_work_whose_caller_has_gone(tmp_path: Path) -> None:
    """A task is cancelled in the middle of its work; the connection is closed only afterwards."""
    happened: list[str] = []
    begun, go_on = threading.Event(), threading.Event()
    connection = sqlite3.connect(tmp_path / "file.db", check_same_thread=False)

    def work() -> None:
        begun.set()
        assert go_on.wait(30)
        connection.execute("CREATE TABLE made (one INTEGER)")
        happened.append("made")

    def last() -> None:
        connection.close()
        happened.append("closed")

    async def scenario() -> None:
        thread = OneThread("test")
        waiting = asyncio.create_task(thread.run(work))
        await asyncio.to_thread(begun.wait, 30)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        closing_it = asyncio.create_task(thread.close(last))
        await asyncio.sleep(0)
        happened.append("close requested")
        go_on.set()
        await closing_it

    asyncio.run(scenario())

    assert ["close requested", "made", "closed"] == happened
    with closing(sqlite3.connect(tmp_path / "file.db")) as again:
        assert [("made",)] == again.execute("SELECT name FROM sqlite_schema").fetchall()
