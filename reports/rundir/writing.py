"""Write a file whole or not at all: a reader never meets half of one."""

import os
from pathlib import Path

from reports.errors import WriteFailed


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write beside `path`, then replace it in one step."""
    data = content.encode() if isinstance(content, str) else content
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise WriteFailed(f"{path} cannot be written: {error.strerror}.") from error
