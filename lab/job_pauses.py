"""Making a background job of the service stand still: all the lab writes in a ledger's file."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lab.errors import PartFailed

PROJECTOR = "projector"
AGGREGATOR = "aggregator"
# A lab that dies lets go after this long.
_HELD_SECONDS = 120
_PATIENCE_SECONDS = 10.0


@contextmanager
def paused_job(ledger: Path, name: str) -> Iterator[None]:
    """Let the job of this name do nothing while the block runs.

    Raises:
        PartFailed: the file cannot be written.
    """
    until_ms = time.time_ns() // 1_000_000 + _HELD_SECONDS * 1_000
    _execute(ledger, "INSERT OR REPLACE INTO holds (name, until_ms) VALUES (?, ?)", name, until_ms)
    try:
        yield
    finally:
        _execute(ledger, "DELETE FROM holds WHERE name = ?", name)


def _execute(ledger: Path, statement: str, *values: object) -> None:
    """Run one statement on a file that is there: nothing is made."""
    address = f"{ledger.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, timeout=_PATIENCE_SECONDS, uri=True)) as connection:
            # Copying the log back is the service's business.
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            with connection:
                connection.execute(statement, values)
    except sqlite3.Error as error:
        raise PartFailed(f"The ledger {ledger} cannot be written: {error}.") from error
