"""Everything wrong with a request, told in one round, and files that a user names."""

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Final

from lab.errors import UsageError


class Problems:
    """Sentences of several checks; each looks although an earlier one found something."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def add(self, sentences: Iterable[str]) -> None:
        """Take some more; what is said already is not said twice."""
        self._found.update(dict.fromkeys(sentences))

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Take what a UsageError of the block says, and go on behind it."""
        try:
            yield
        except UsageError as error:
            self.add(error.problems)

    def tell(self) -> None:
        """Let the user hear of them.

        Raises:
            UsageError: there are some.
        """
        if self._found:
            raise UsageError(*self._found)


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
