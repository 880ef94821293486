"""A database file that somebody else is writing, opened to be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from lab.errors import PartFailed


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can change nothing.

    Raises:
        PartFailed: the file cannot be read.
    """
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            yield connection
    except sqlite3.Error as error:
        raise PartFailed(f"The ledger {path} cannot be read: {error}.") from error
