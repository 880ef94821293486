"""What can go wrong with the ledger.

LedgerError
├── LedgerBusy          the queue is full or another process kept the file: try again later
├── LedgerUnwritable    the disk refused the write: reads go on, writes may work again later
│   ├── LedgerFull
│   └── LedgerReadOnly
├── LedgerUnusable      the file is damaged, foreign or of another version: do not start on it
├── LedgerClosed        the ledger is closed or its writer has died
├── ChangesTrimmed      a follower fell behind the change log and must rebuild
└── LeaseLost           another process has taken the lease since
"""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# Primary result codes; an extended code carries its primary one in the low byte.
_BUSY_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_DAMAGED_CODES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_AGAIN_SECONDS = 1.0


class LedgerError(Exception):
    """The base of everything the ledger raises on purpose."""


class LedgerBusy(LedgerError):
    """The ledger cannot take more now; nothing was stored."""

    retry_after_seconds = 1


class LedgerUnwritable(LedgerError):
    """The disk refused a write; it was not acknowledged, and reads go on."""

    retry_after_seconds = 5


class LedgerFull(LedgerUnwritable):
    """There is no room on the disk for the ledger to grow."""


class LedgerReadOnly(LedgerUnwritable):
    """The ledger's file or its directory may not be written."""


class LedgerUnusable(LedgerError):
    """The file is damaged, foreign or of another schema version."""


class LedgerClosed(LedgerError):
    """The ledger refuses everything: it was closed, or its writer has died."""


class ChangesTrimmed(LedgerError):
    """The requested changes are no longer kept; rebuild from a snapshot."""


class LeaseLost(LedgerError):
    """Another process has taken the lease; what it protected must not be written."""


def translated(error: sqlite3.Error, path: Path) -> Exception:
    """Return the ledger's error for an SQLite error; programming errors stay what they are."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY_CODES:
        return LedgerBusy(f"Another process holds {path}; try again.")
    if code == sqlite3.SQLITE_FULL:
        return LedgerFull(f"There is no room left for {path}.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return LedgerReadOnly(f"{path} cannot be written ({error}).")
    if code == sqlite3.SQLITE_IOERR:
        return LedgerUnwritable(f"The disk failed {path} ({error}).")
    if code in _DAMAGED_CODES:
        return LedgerUnusable(
            f"{path} is damaged or not a ledger ({error}); restore it or choose another file."
        )
    return error


@contextmanager
def translating(path: Path) -> Iterator[None]:
    """Turn SQLite's errors inside the block into the ledger's."""
    try:
        yield
    except sqlite3.Error as error:
        meaning = translated(error, path)
        if meaning is error:
            raise
        raise meaning from error


async def begin_later(begin: Callable[[], Awaitable[None]]) -> None:
    """Try to begin, once a second, until the ledger can be opened."""
    while True:
        await asyncio.sleep(_AGAIN_SECONDS)
        with suppress(LedgerError):
            await begin()
            return
