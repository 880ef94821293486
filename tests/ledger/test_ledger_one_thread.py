"""Work on one connection: each piece to its end, whoever stops waiting."""

import asyncio
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path

from target_service.ledger.bounded_queue import OneThread


def test_what_comes_later_waits_for_work_that_nobody_waits_for(tmp_path: Path) -> None:
    """A task is cancelled in the middle of its work; the closing of the connection comes after."""
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
        happened.append("asked to close")
        go_on.set()
        await closing_it

    asyncio.run(scenario())

    assert ["asked to close", "made", "closed"] == happened
    with closing(sqlite3.connect(tmp_path / "file.db")) as again:
        assert [("made",)] == again.execute("SELECT name FROM sqlite_schema").fetchall()
