"""What is printed may be lost: a pipe that nobody reads any more, a file on a full disk.

`lab` and `reports` print and may not import each other, so this file stands in both, the same to
the letter.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Callable

OUTPUT_LOST = 2
_WRITING = frozenset({errno.EPIPE, errno.ENOSPC, errno.EIO})


def with_output(command: Callable[[], int]) -> int:
    """The exit code of a command, or OUTPUT_LOST when what it printed did not arrive."""
    try:
        code = command()
        if sys.stdout is not None:  # None: it was closed from the start, and print prints nothing
            sys.stdout.flush()
    except OSError as error:
        if error.filename is not None or error.errno not in _WRITING:
            raise
        # Whatever still waits to be written would fail again when Python ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        with contextlib.suppress(OSError):
            print(f"The output cannot be written: {error.strerror}.", file=sys.stderr)
        return OUTPUT_LOST
    return code
