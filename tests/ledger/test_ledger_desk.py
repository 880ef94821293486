"""Group commit and reads for tables beside the ledger's own."""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from ledger_opening import run

from target_service.ledger.bounded_queue import BoundedQueue, GroupCommit, ReadQueue, Waiting
from target_service.ledger.errors import LedgerBusy, LedgerClosed
from target_service.ledger.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ledger's file with a table of somebody else's."""
    store = Store(tmp_path / "ledger.db", "normal", patience_seconds=60)
    store.prepare()
    connection = store.connect()
    connection.execute("CREATE TABLE words (word TEXT NOT NULL)")
    connection.close()
    yield store
    store.turns.close()


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
    """Each caller gets the own answer, in order, once it is committed."""
    serving = Serving()
    serving.go_on.clear()

    async def scenario() -> list[int]:
        desk = GroupCommit("desk", store, serving)
        desk.start()
        first = desk.submit("one")
        await asyncio.to_thread(serving.has_begun.wait, 60)
        rest = [desk.submit(word) for word in ("three", "seven")]
        serving.go_on.set()
        told = await asyncio.gather(first, *rest)
        await desk.close()
        return told

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
        desk = GroupCommit("desk", store, serving)
        desk.start()
        orders = [desk.submit(word) for word in ("first", "good", "bad", "fine")]
        serving.go_on.set()
        told = await asyncio.gather(*orders, return_exceptions=True)
        await desk.close()
        return told

    told = run(scenario())
    assert [one if isinstance(one, int) else str(one) for one in told] == [5, 4, "bad", 4]
    connection = store.connect()
    assert _words(connection) == ["first", "good", "fine"]
    connection.close()


def test_a_desk_that_is_not_open_says_so(store: Store) -> None:
    """Before it is opened and after it is closed, at once."""

    async def scenario() -> None:
        desk = GroupCommit("desk", store, Serving())
        questions = ReadQueue("questions", store)
        with pytest.raises(LedgerClosed, match="not open yet"):
            desk.submit("early")
        with pytest.raises(LedgerClosed, match="not open yet"):
            await questions.ask(_words)
        for one in (desk, questions):
            one.start()
            one.start()
            await one.close()
        with pytest.raises(LedgerClosed, match="is closed"):
            desk.submit("late")
        with pytest.raises(LedgerClosed, match="is closed"):
            await questions.ask(_words)

    run(scenario())


def test_a_question_sees_what_was_answered_before_it(store: Store) -> None:
    """A hundred times in a row; and one that fails harms nobody else."""

    async def scenario() -> None:
        desk, questions = GroupCommit("desk", store, Serving()), ReadQueue("questions", store)
        desk.start()
        questions.start()
        for number in range(100):
            await desk.submit(str(number))
            assert (await questions.ask(_words))[-1] == str(number)
        good, bad = questions.ask(_words), questions.ask(lambda _: 1 // 0)
        told = await asyncio.gather(good, bad, return_exceptions=True)
        assert isinstance(told[0], list)
        assert isinstance(told[1], ZeroDivisionError)
        await desk.close()
        await questions.close()

    run(scenario())


def test_others_that_keep_the_file_are_waited_for_and_no_longer(tmp_path: Path) -> None:
    """The order is refused as busy, and what follows is stored."""
    patient = Store(tmp_path / "ledger.db", "normal", patience_seconds=0.1)
    patient.prepare()
    other = Store(patient.path, "normal")

    def serve(_: sqlite3.Connection, orders: Sequence[str]) -> list[str]:
        return list(orders)

    async def scenario() -> None:
        desk = GroupCommit("desk", patient, serve)
        desk.start()
        with other.turns.taken(), pytest.raises(LedgerBusy):
            await desk.submit("kept out")
        assert await desk.submit("let in") == "let in"
        await desk.close()

    run(scenario())
    patient.turns.close()
    other.turns.close()


def test_a_line_is_bounded_and_fair() -> None:
    """What does not fit is refused; who came first is first, up to a weight; the end is told."""

    async def scenario() -> None:
        line: BoundedQueue[str] = BoundedQueue(10)
        line.join(Waiting("huge", 50))
        with pytest.raises(LedgerBusy, match="50 already wait"):
            line.join(Waiting("next"))
        assert [one.wish for one in line.take(1)] == ["huge"]
        for word in "abcde":
            line.join(Waiting(word, 2))
        assert [one.wish for one in line.take(3)] == ["a", "b"]
        line.close("shut")
        with pytest.raises(LedgerClosed, match="shut"):
            line.join(Waiting("late"))
        assert [one.wish for one in line.take(100)] == ["c", "d", "e"]
        assert line.take(100) == []

    run(scenario())
