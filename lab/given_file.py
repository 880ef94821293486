"""A file that a user names, read whole."""

import errno
from pathlib import Path
from stat import S_ISDIR, S_ISREG


def read_given_file(path: Path) -> bytes:
    """Return what is in it; of a device or a pipe nobody knows whether it ever ends.

    Raises:
        OSError: it cannot be read, or is no file.
    """
    mode = path.stat().st_mode
    if not (S_ISREG(mode) or S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "Not a file")
    return path.read_bytes()
