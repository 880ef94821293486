"""A file that a user names, read whole."""

import errno
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Final

LARGEST_BYTES: Final = 2**28


def read_given_file(path: Path) -> bytes:
    """Return what is in it; of a device or a pipe nobody knows whether it ever ends.

    Raises:
        OSError: it cannot be read, is no file, or is longer than what any command here reads.
    """
    found = path.stat()
    if not (S_ISREG(found.st_mode) or S_ISDIR(found.st_mode)):
        raise OSError(errno.EINVAL, "Not a file")
    with path.open("rb") as file:
        content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        raise OSError(errno.EFBIG, f"Longer than {LARGEST_BYTES:,} bytes")
    return content
