"""One thread for a connection that several tasks use."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

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
