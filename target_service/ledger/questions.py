"""Reads of the ledger's file that wait for no writer and hold up no event loop."""

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar, cast

from target_service.ledger.inbox import answer
from target_service.ledger.line import Waiting
from target_service.ledger.line_thread import LineThread
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
        self._store = store
        self._thread: LineThread[Question] = LineThread(
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
