"""Write a file whole or not at all: a reader never meets half of one."""

import os
from collections.abc import Iterable
from pathlib import Path

from reports.errors import WriteFailed


def write_atomically(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Write beside `path`, then replace it in one step."""
    whole = content.encode() if isinstance(content, str) else content
    pieces = [whole] if isinstance(whole, bytes) else (piece.encode() for piece in whole)
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        # made anew, so that a link that somebody left under this name is not followed
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:
            file.writelines(pieces)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WriteFailed(f"{path} cannot be written: {error.strerror}.") from error
