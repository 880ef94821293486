"""Reads of the ledger's file that wait for no writer and hold up no event loop."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, TypeVar, cast

from target_service.ledger.errors import LedgerClosed
from target_service.ledger.inbox import answer
from target_service.ledger.line import Line, Waiting
from target_service.ledger.store import Store

T = TypeVar("T")
Question = Callable[[sqlite3.Connection], Any]

_WAITING_AT_MOST = 10_000
_TOGETHER = 500


class Questions:
    """One thread that answers on a connection of its own.

    Whoever waits is answered from one moment of the file, which is not earlier than any of the
    questions: what was committed before a question was asked is in its answer.
    """

    def __init__(self, name: str, store: Store) -> None:
        self._name = name
        self._store = store
        self._line: Line[Question] = Line(_WAITING_AT_MOST)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Open the file, which blocks, and begin to answer, unless it has begun."""
        if self._thread is not None:
            return
        connection = self._store.connect()
        self._thread = threading.Thread(
            target=self._run, args=(connection,), name=self._name, daemon=True
        )
        self._thread.start()

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Return what the question finds; raises LedgerBusy when too many wait."""
        if self._thread is None:
            raise LedgerClosed("The ledger is not open yet; try again.")
        waiting: Waiting[Question] = Waiting(question)
        self._line.join(waiting)
        return cast("T", await waiting.promise.future)

    async def close(self) -> None:
        """Answer whoever waits, and take no more questions."""
        self._line.close("The ledger is closed.")
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    def _run(self, connection: sqlite3.Connection) -> None:
        try:
            while taken := self._line.take(_TOGETHER):
                self._answer(connection, taken)
        finally:
            self._line.close("The thread that reads has died; restart the service.")
            closed = LedgerClosed("The ledger closed before it could answer.")
            while taken := self._line.take(_WAITING_AT_MOST):
                answer((one.promise, closed) for one in taken)
            connection.close()

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
