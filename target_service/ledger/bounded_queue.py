"""A bounded queue in front of one thread: for group commits, for reads, and for plain work."""

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
Order = TypeVar("Order")
Done = TypeVar("Done")
Question = Callable[[sqlite3.Connection], Any]

_QUEUED_ORDERS_WEIGHT = 50_000
_GROUP_WEIGHT = 5_000
_QUEUED_QUESTIONS = 10_000
_QUESTIONS_PER_GROUP = 500


@dataclass(slots=True, eq=False)
class QueuedItem(Generic[T]):
    """An item, how much of the queue it takes, and the promise of an answer to it."""

    item: T
    weight: int = 1
    promise: Promise = field(default_factory=Promise.here)


class BoundedQueue(Generic[T]):
    """First come, first served; what does not fit is refused at once, not kept waiting."""

    def __init__(self, max_weight: int) -> None:
        self._max_weight = max_weight
        self._changed = threading.Condition()
        self._items: deque[QueuedItem[T]] = deque()
        self._weight = 0
        self._closed: str | None = None

    def put(self, item: QueuedItem[T]) -> None:
        """Add an item at the end; raises LedgerBusy when the queue is full."""
        with self._changed:
            if self._closed:
                raise LedgerClosed(self._closed)
            if self._items and self._weight + item.weight > self._max_weight:
                raise LedgerBusy(f"{self._weight:,} already wait for the ledger; try again.")
            self._items.append(item)
            self._weight += item.weight
            self._changed.notify()

    def take(self, at_most: int) -> list[QueuedItem[T]]:
        """Wait for the first items, up to this weight; empty only when the queue is closed."""
        with self._changed:
            while not self._items and not self._closed:
                self._changed.wait()
            taken: list[QueuedItem[T]] = []
            weight = 0
            while self._items and weight < at_most:
                taken.append(self._items.popleft())
                weight += taken[-1].weight
            self._weight -= weight
            return taken

    def close(self, reason: str) -> None:
        """Refuse new items; those in the queue can still be taken."""
        with self._changed:
            self._closed = self._closed or reason
            self._changed.notify_all()


class QueueThread(Generic[T]):
    """Takes a group of items at a time until the queue is closed and empty.

    `serve` answers a group. When it raises, the thread ends: the callers of the group and of all
    items in the queue get LedgerClosed, and new items are refused.
    """

    def __init__(
        self,
        name: str,
        connect: Callable[[], sqlite3.Connection],
        max_weight: int,
        group_weight: int,
        serve: Callable[[sqlite3.Connection, list[QueuedItem[T]]], None],
    ) -> None:
        self._name = name
        self._connect = connect
        self._queue: BoundedQueue[T] = BoundedQueue(max_weight)
        self._max_weight = max_weight
        self._group_weight = group_weight
        self._serve = serve
        self._taken: list[QueuedItem[T]] = []
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

    def put(self, item: T, weight: int = 1) -> asyncio.Future[Any]:
        """Queue an item; the future is done on the caller's loop.

        Raises LedgerBusy when the queue is full, LedgerClosed before `start` and at the end.
        """
        if self._thread is None:
            raise LedgerClosed("The ledger is not open yet; try again.")
        queued = QueuedItem(item, weight)
        self._queue.put(queued)
        return queued.promise.future

    async def close(self) -> None:
        """Serve what is queued, and refuse new items."""
        self._queue.close("The ledger is closed.")
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _run(self, connection: sqlite3.Connection) -> None:
        try:
            while taken := self._queue.take(self._group_weight):
                self._taken = taken
                self._serve(connection, taken)
                self._taken = []
        finally:
            self._queue.close(f"The thread {self._name} has died; restart the service.")
            closed = LedgerClosed("The ledger closed before it could answer.")
            left = self._taken
            while taken := self._queue.take(self._max_weight):
                left += taken
            answer((one.promise, closed) for one in left)
            connection.close()


class GroupCommit(Generic[Order, Done]):
    """One thread that takes the orders of many callers and stores them in one commit.

    While one group is on its way to the disk the next one gathers. `serve` gets a group inside
    its transaction and returns the result of each order. When it fails, every order is tried on
    its own, so that the error reaches only the sender of the bad one.
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
            name, store.connect, _QUEUED_ORDERS_WEIGHT, _GROUP_WEIGHT, self._commit
        )

    def start(self) -> None:
        """Open the file, which blocks, and begin to serve, unless it has begun."""
        self._thread.start()

    def submit(self, order: Order, weight: int = 1) -> asyncio.Future[Done]:
        """Queue an order; the future is done after the commit, on the caller's loop.

        Raises LedgerBusy or LedgerClosed at once. The future raises LedgerUnwritable or
        LedgerBusy; then the outcome is unknown, and sending the same order again shows it.
        """
        return self._thread.put(order, weight)

    async def close(self) -> None:
        """Store what is queued, and refuse new orders."""
        await self._thread.close()

    def _commit(self, connection: sqlite3.Connection, taken: Sequence[QueuedItem[Order]]) -> None:
        try:
            with self._store.write_transaction(connection):
                results = self._serve(connection, [one.item for one in taken])
        except LedgerError as error:
            answer((one.promise, error) for one in taken)
        except Exception as error:  # noqa: BLE001 - the error of one order goes to its sender only
            if len(taken) == 1:
                answer([(taken[0].promise, error)])
                return
            for one in taken:
                self._commit(connection, [one])
        else:
            answer((one.promise, result) for one, result in zip(taken, results, strict=True))


class ReadQueue:
    """One thread that answers questions on a connection of its own.

    All questions of a group are answered from one moment of the file, which is later than each
    of them was put: what was committed before a question is in its answer.
    """

    def __init__(self, name: str, store: Store) -> None:
        self._store = store
        self._thread: QueueThread[Question] = QueueThread(
            name, store.connect, _QUEUED_QUESTIONS, _QUESTIONS_PER_GROUP, self._answer
        )

    def start(self) -> None:
        """Open the file, which blocks, and begin to answer, unless it has begun."""
        self._thread.start()

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Return what the question finds; raises LedgerBusy when too many wait."""
        return cast("T", await self._thread.put(question))

    async def close(self) -> None:
        """Answer what is queued, and refuse new questions."""
        await self._thread.close()

    def _answer(self, connection: sqlite3.Connection, taken: list[QueuedItem[Question]]) -> None:
        answers: list[object] = []
        try:
            with self._store.read_transaction(connection):
                answers += [_result_or_error(connection, one.item) for one in taken]
        except Exception as error:  # noqa: BLE001 - raised to every caller without an answer
            answers += [error] * (len(taken) - len(answers))
        answer(zip((one.promise for one in taken), answers, strict=True))


def _result_or_error(connection: sqlite3.Connection, question: Question) -> object:
    try:
        return question(connection)
    except sqlite3.Error:
        raise
    except Exception as error:  # noqa: BLE001 - raised to the caller of this question only
        return error


class OneThread:
    """Runs blocking work one piece after another, each to its end.

    A task that is cancelled stops waiting while its work goes on in the thread. The next work,
    such as closing the connection, starts only after it: SQLite dies when a connection is closed
    in the middle of its work.
    """

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(1, name)

    async def run(self, work: Callable[[], T]) -> T:
        """Do the work after all earlier work, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def close(self, last: Callable[[], object]) -> None:
        """Do the last work; nothing may come after it."""
        await self.run(last)
        self._pool.shutdown(wait=False)
