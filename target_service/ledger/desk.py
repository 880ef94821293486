"""Group commit for whoever keeps tables beside the ledger's own."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from target_service.ledger.errors import LedgerError
from target_service.ledger.inbox import answer
from target_service.ledger.line import Waiting
from target_service.ledger.line_thread import LineThread
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
        self._store = store
        self._serve = serve
        self._thread: LineThread[Order] = LineThread(
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
