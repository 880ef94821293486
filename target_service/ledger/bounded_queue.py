"""A bounded queue in front of one thread, and the three things done with it."""

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from target_service.ledger.errors import LedgerBusy, LedgerClosed, LedgerError
from target_service.ledger.store import Store
from target_service.ledger.write_queue import Promise, answer

T = TypeVar("T")


class OneThread:
    """Runs blocking work one piece after another, each to its end.

    A task that is cancelled stops waiting while its work goes on. With a thread for each piece
    whatever comes next, the closing of the connection included, would meet it there, and SQLite
    dies of that; here it comes after it.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, name)

    async def run(self, work: Callable[[], T]) -> T:
        """Do the work after all that came before, and return what it found."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def close(self, last: Callable[[], object]) -> None:
        """Do the last work; nothing may come after it."""
        await self.run(last)
        self._pool.shutdown(wait=False)


@dataclass(slots=True, eq=False)
class Waiting(Generic[T]):
    """What somebody asks for, how much of the line it takes, and the promise of an answer."""

    wish: T
    weight: int = 1
    promise: Promise = field(default_factory=Promise.here)


class BoundedQueue(Generic[T]):
    """First come, first served; what does not fit is refused at once, not kept waiting."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._changed = threading.Condition()
        self._waiting: deque[Waiting[T]] = deque()
        self._weight = 0
        self._closed: str | None = None

    def join(self, waiting: Waiting[T]) -> None:
        """Stand at the end; raises LedgerBusy when the line is too long."""
        with self._changed:
            if self._closed:
                raise LedgerClosed(self._closed)
            if self._waiting and self._weight + waiting.weight > self._longest:
                raise LedgerBusy(f"{self._weight:,} already wait for the ledger; try again.")
            self._waiting.append(waiting)
            self._weight += waiting.weight
            self._changed.notify()

    def take(self, at_most: int) -> list[Waiting[T]]:
        """Wait for the first ones, up to this weight; empty only when the line is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            taken: list[Waiting[T]] = []
            weight = 0
            while self._waiting and weight < at_most:
                taken.append(self._waiting.popleft())
                weight += taken[-1].weight
            self._weight -= weight
            return taken

    def close(self, reason: str) -> None:
        """Let nobody in any more; who is in the line stays to be served."""
        with self._changed:
            self._closed = self._closed or reason
            self._changed.notify_all()


class QueueThread(Generic[T]):
    """Takes whoever is first in the line, a group at a time, until the line is closed and empty.

    `serve` answers a group. When it raises, the thread is at its end: whoever was taken or still
    waits is told so, and nobody is let in any more.
    """

    def __init__(
        self,
        name: str,
        connect: Callable[[], sqlite3.Connection],
        longest: int,
        group_weight: int,
        serve: Callable[[sqlite3.Connection, list[Waiting[T]]], None],
    ) -> None:
        self._name = name
        self._connect = connect
        self._line: BoundedQueue[T] = BoundedQueue(longest)
        self._longest = longest
        self._group_weight = group_weight
        self._serve = serve
        self._taken: list[Waiting[T]] = []
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Open the file, which blocks, and begin to serve, unless it has begun."""
        if self._thread is not None:
            return
        connection = self._connect()
        self._thread = threading.Thread(
            target=self._run, args=(connection,), name=self._name, daemon=True
        )
        self._thread.start()

    def join(self, wish: T, weight: int = 1) -> asyncio.Future[Any]:
        """Stand in the line; the future is done on the caller's loop.

        Raises LedgerBusy when the line is too long, LedgerClosed before `start` and at the end.
        """
        if self._thread is None:
            raise LedgerClosed("The ledger is not open yet; try again.")
        waiting = Waiting(wish, weight)
        self._line.join(waiting)
        return waiting.promise.future

    async def close(self) -> None:
        """Serve whoever is in the line, and let nobody in any more."""
        self._line.close("The ledger is closed.")
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _run(self, connection: sqlite3.Connection) -> None:
        try:
            while taken := self._line.take(self._group_weight):
                self._taken = taken
                self._serve(connection, taken)
                self._taken = []
        finally:
            self._line.close(f"The thread {self._name} has died; restart the service.")
            closed = LedgerClosed("The ledger closed before it could answer.")
            left = self._taken
            while taken := self._line.take(self._longest):
                left += taken
            answer((one.promise, closed) for one in left)
            connection.close()


Order = TypeVar("Order")
Done = TypeVar("Done")

_QUEUED_WEIGHT = 50_000
_GROUP_WEIGHT = 5_000


class GroupCommit(Generic[Order, Done]):
    """One thread that takes the orders of many callers and stores them in one commit.

    While one group is on its way to the disk the next one gathers. `serve` gets a group inside
    its transaction and says what became of each order; when it fails, every order is tried on
    its own, so that only the sender of the bad one hears of it.
    """

    def __init__(
        self,
        name: str,
        store: Store,
        serve: Callable[[sqlite3.Connection, Sequence[Order]], Sequence[Done]],
    ) -> None:
        self._store = store
        self._serve = serve
        self._thread: QueueThread[Order] = QueueThread(
            name, store.connect, _QUEUED_WEIGHT, _GROUP_WEIGHT, self._commit
        )

    def start(self) -> None:
        """Open the file, which blocks, and begin to serve, unless it has begun."""
        self._thread.start()

    def submit(self, order: Order, weight: int = 1) -> asyncio.Future[Done]:
        """Queue an order; the future is done after the commit, on the caller's loop.

        Raises LedgerBusy or LedgerClosed at once; the future raises LedgerUnwritable or
        LedgerBusy, and then the outcome is unknown: sending the same again tells.
        """
        return self._thread.join(order, weight)

    async def close(self) -> None:
        """Serve whoever is in the line, and take nothing more."""
        await self._thread.close()

    def _commit(self, connection: sqlite3.Connection, taken: Sequence[Waiting[Order]]) -> None:
        try:
            with self._store.write(connection):
                done = self._serve(connection, [one.wish for one in taken])
        except LedgerError as error:
            answer((one.promise, error) for one in taken)
        except Exception as error:  # noqa: BLE001 - whatever one order does wrong, only its sender hears of it
            if len(taken) == 1:
                answer([(taken[0].promise, error)])
                return
            for one in taken:
                self._commit(connection, [one])
        else:
            answer((one.promise, told) for one, told in zip(taken, done, strict=True))


Question = Callable[[sqlite3.Connection], Any]

_WAITING_AT_MOST = 10_000
_TOGETHER = 500


class ReadQueue:
    """One thread that answers on a connection of its own.

    Whoever waits is answered from one moment of the file, which is not earlier than any of the
    questions: what was committed before a question was asked is in its answer.
    """

    def __init__(self, name: str, store: Store) -> None:
        self._store = store
        self._thread: QueueThread[Question] = QueueThread(
            name, store.connect, _WAITING_AT_MOST, _TOGETHER, self._answer
        )

    def start(self) -> None:
        """Open the file, which blocks, and begin to answer, unless it has begun."""
        self._thread.start()

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Return what the question finds; raises LedgerBusy when too many wait."""
        return cast("T", await self._thread.join(question))

    async def close(self) -> None:
        """Answer whoever waits, and take no more questions."""
        await self._thread.close()

    def _answer(self, connection: sqlite3.Connection, taken: list[Waiting[Question]]) -> None:
        answers: list[object] = []
        try:
            with self._store.reading(connection):
                answers += [_try(connection, one.wish) for one in taken]
        except Exception as error:  # noqa: BLE001 - raised to whoever asked
            answers += [error] * (len(taken) - len(answers))
        answer(zip((one.promise for one in taken), answers, strict=True))


def _try(connection: sqlite3.Connection, question: Question) -> object:
    try:
        return question(connection)
    except sqlite3.Error:
        raise
    except Exception as error:  # noqa: BLE001 - raised to whoever asked, and to nobody else
        return error
