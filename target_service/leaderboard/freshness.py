"""Whether answers from a board may be behind the truth."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from target_service.redis_wire.command import Reply


class Freshness(Protocol):
    """Knows which boards are behind or gone."""

    def check(self, key: str, mark: Reply, *, is_empty: bool) -> bool:
        """Tell whether the board may be behind; raises BoardUnavailable when it is gone.

        `mark` was read in the same round trip as the board, of which nothing was found if
        `is_empty`.
        """

    async def confirm(self, key: str) -> None:
        """Raise BoardUnavailable unless what the board does not hold does not exist."""

    async def find(self, keys: Collection[str]) -> None:
        """Raise BoardUnavailable unless these boards are there."""


class AlwaysFresh:
    """The freshness of boards that are themselves the truth; they carry no marks."""

    def check(self, key: str, mark: Reply, *, is_empty: bool) -> bool:  # noqa: ARG002  (the protocol's)
        """Tell that it is not."""
        return False

    async def confirm(self, key: str) -> None:
        """Confirm it."""

    async def find(self, keys: Collection[str]) -> None:
        """Find them."""


def any_behind(
    freshness: Freshness, keys: Sequence[str], marks: Sequence[Reply], empty: Iterable[bool]
) -> bool:
    """Tell whether one of the boards may be behind; raises when any of them is gone.

    Boards that carry no marks come with none.
    """
    behind = [
        freshness.check(key, mark, is_empty=is_empty)
        for key, mark, is_empty in zip(keys, marks or [None] * len(keys), empty, strict=True)
    ]
    return any(behind)
