"""The one thread that serves a line, with a connection to the ledger's file of its own."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from target_service.ledger.errors import LedgerClosed
from target_service.ledger.inbox import answer
from target_service.ledger.line import Line, Waiting

T = TypeVar("T")


class LineThread(Generic[T]):
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
        self._line: Line[T] = Line(longest)
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
