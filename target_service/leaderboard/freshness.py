"""Whether answers from a board may be behind the truth."""

from collections.abc import Iterable
from typing import Protocol


class Freshness(Protocol):
    """Knows which boards are behind or gone."""

    def check(self, key: str) -> bool:
        """Tell whether the board may be behind; raises BoardUnavailable when it is gone."""

    async def confirm(self, key: str) -> None:
        """Raise BoardUnavailable unless what the board does not hold does not exist."""


class AlwaysFresh:
    """The freshness of boards that are themselves the truth."""

    def check(self, key: str) -> bool:  # noqa: ARG002  (the protocol's)
        """Tell that it is not."""
        return False

    async def confirm(self, key: str) -> None:
        """Confirm it."""


def any_behind(freshness: Freshness, keys: Iterable[str]) -> bool:
    """Tell whether one of the boards may be behind; raises when any of them is gone."""
    behind = [freshness.check(key) for key in keys]
    return any(behind)
