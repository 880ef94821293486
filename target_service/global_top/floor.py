"""How new the newest copy is that any worker has answered from, in memory that they share."""

import mmap
import os
from pathlib import Path

_BYTES = 8


class Floor:
    """Moments that rise whenever a worker takes over a newer copy, before it answers from it.

    A worker whose copy is older asks for the newer one before it answers, so that no client sees
    `as_of` go back when its next request meets another worker. Where the file cannot be made,
    the worker keeps a floor of its own.
    """

    def __init__(self, path: Path | None, moments: int = 1) -> None:
        self._memory = _memory(path, moments * _BYTES)
        self._moments = memoryview(self._memory).cast("q")

    @property
    def as_of_us(self) -> int:
        """The moment below which nobody answers any more."""
        return self.at(0)

    def at(self, place: int) -> int:
        """Return one of the moments; an aligned word, read at once."""
        return self._moments[place]

    def rise(self, moment: int, place: int = 0) -> None:
        """Raise one to this moment, unless it is higher already.

        No lock, which a frozen worker could keep from all others: at worst two that take over
        different tops in the same microsecond leave the older one's moment until the next.
        """
        self._moments[place] = max(self._moments[place], moment)

    def put(self, moment: int, place: int) -> None:
        """Set one that no longer means anything."""
        self._moments[place] = moment

    def close(self) -> None:
        """Give back the memory."""
        self._moments.release()
        self._memory.close()


def _memory(path: Path | None, size: int) -> mmap.mmap:
    if path is None:
        return mmap.mmap(-1, size)
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return mmap.mmap(-1, size)
    try:
        # Only the first one makes it longer, and what is added is zero.
        if os.fstat(file).st_size < size:
            os.ftruncate(file, size)
        return mmap.mmap(file, size)
    finally:
        os.close(file)
