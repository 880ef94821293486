"""A fair lock between processes."""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from target_service.ledger.errors import LedgerBusy, LedgerReadOnly

_POLL_SECONDS = 0.0002


class ProcessLock:
    """A fair lock between processes, beside SQLite's own.

    A process that waits for SQLite's lock polls with growing pauses, so a process that writes
    without a break starves the others. This lock has two files. A process locks the first one
    (`-door`) to be next, then the second one (`-room`) to write, and then unlocks the first. So
    while one process writes, the next one already has the first file, and the writer cannot
    overtake it. The kernel drops both locks of a process that dies.
    """

    def __init__(self, path: Path, patience_seconds: float) -> None:
        self._path = path
        self._patience_seconds = patience_seconds
        self._threads = threading.Lock()
        self._files: tuple[int, int] | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock for the block; raises LedgerBusy when others hold it too long."""
        deadline = time.monotonic() + self._patience_seconds
        if not self._threads.acquire(timeout=self._patience_seconds):
            raise self._busy()
        try:
            next_up, writing = self._open()
            self._lock(next_up, deadline)
            try:
                self._lock(writing, deadline)
            finally:
                fcntl.flock(next_up, fcntl.LOCK_UN)
            try:
                yield
            finally:
                fcntl.flock(writing, fcntl.LOCK_UN)
        finally:
            self._threads.release()

    def close(self) -> None:
        """Close the lock's files."""
        with self._threads:
            for file in self._files or ():
                os.close(file)
            self._files = None

    def _open(self) -> tuple[int, int]:
        """Open both files once; not the database itself, since closing it would drop its locks."""
        if self._files is None:
            opened: list[int] = []
            try:
                for name in ("door", "room"):
                    path = f"{self._path}-{name}"
                    opened.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666))
            except OSError as error:
                for file in opened:
                    os.close(file)
                raise LedgerReadOnly(f"{self._path} cannot be written ({error}).") from error
            self._files = (opened[0], opened[1])
        return self._files

    def _lock(self, file: int, deadline: float) -> None:
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() >= deadline:
                raise self._busy()
            time.sleep(_POLL_SECONDS)

    def _busy(self) -> LedgerBusy:
        return LedgerBusy(
            f"Other writers kept {self._path} for {self._patience_seconds:g} s; try again."
        )
