"""Group commit for whoever keeps tables beside the ledger's own."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from target_service.ledger.errors import LedgerClosed, LedgerError
from target_service.ledger.inbox import answer
from target_service.ledger.line import Line, Waiting
from target_service.ledger.store import Store

Order = TypeVar("Order")
Done = TypeVar("Done")

_QUEUED_WEIGHT = 50_000
_GROUP_WEIGHT = 5_000


class Desk(Generic[Order, Done]):
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
        self._name = name
        self._store = store
        self._serve = serve
        self._line: Line[Order] = Line(_QUEUED_WEIGHT)
        self._taken: Sequence[Waiting[Order]] = ()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Open the file, which blocks, and begin to serve, unless it has begun."""
        if self._thread is not None:
            return
        connection = self._store.connect()
        self._thread = threading.Thread(
            target=self._run, args=(connection,), name=self._name, daemon=True
        )
        self._thread.start()

    def submit(self, order: Order, weight: int = 1) -> asyncio.Future[Done]:
        """Queue an order; the future is done after the commit, on the caller's loop.

        Raises LedgerBusy or LedgerClosed at once; the future raises LedgerUnwritable or
        LedgerBusy, and then the outcome is unknown: sending the same again tells.
        """
        if self._thread is None:
            raise LedgerClosed("The ledger is not open yet; try again.")
        waiting = Waiting(order, weight)
        self._line.join(waiting)
        return waiting.promise.future

    async def close(self) -> None:
        """Serve whoever is in the line, and take nothing more."""
        self._line.close("The ledger is closed.")
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _run(self, connection: sqlite3.Connection) -> None:
        try:
            while taken := self._line.take(_GROUP_WEIGHT):
                self._taken = taken
                self._commit(connection, taken)
                self._taken = ()
        finally:
            self._line.close("The thread that writes has died; restart the service.")
            closed = LedgerClosed("The ledger closed before it could answer.")
            left = [*self._taken]
            while taken := self._line.take(_QUEUED_WEIGHT):
                left += taken
            answer((one.promise, closed) for one in left)
            connection.close()

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
