"""Everything that is wrong with a request, collected so that it is told in one round."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

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
