"""How new the newest top is that any worker has answered, in memory that the workers share."""

import mmap
import os
from pathlib import Path

_BYTES = 8


class Floor:
    """One moment that rises whenever a worker takes over a newer top, before it answers from it.

    A worker whose copy is older asks for the newer one before it answers, so that no client sees
    `as_of` go back when its next request meets another worker. Where the file cannot be made,
    the worker keeps a floor of its own.
    """

    def __init__(self, path: Path) -> None:
        self._memory = _memory(path)
        self._moments = memoryview(self._memory).cast("q")

    @property
    def as_of_us(self) -> int:
        """The moment below which nobody answers any more; one aligned word, read at once."""
        return self._moments[0]

    def rise(self, as_of_us: int) -> None:
        """Raise it to this moment, unless it is higher already.

        No lock, which a frozen worker could keep from all others: at worst two that take over
        different tops in the same microsecond leave the older one's moment until the next.
        """
        self._moments[0] = max(self._moments[0], as_of_us)

    def close(self) -> None:
        """Give back the memory."""
        self._moments.release()
        self._memory.close()


def _memory(path: Path) -> mmap.mmap:
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return mmap.mmap(-1, _BYTES)
    try:
        # Only the first one makes it longer, and what is added is zero.
        if os.fstat(file).st_size < _BYTES:
            os.ftruncate(file, _BYTES)
        return mmap.mmap(file, _BYTES)
    finally:
        os.close(file)
