"""How far a rank that was read board by board can be off."""

from collections.abc import Sequence
from typing import NamedTuple

from target_service.redis_wire.command import Reply


class RankError(NamedTuple):
    """Whether the rank is exact, and else by how much it can be off; None: nothing can tell."""

    exact: bool | None
    at_most: int | None


IN_ONE_STEP = RankError(exact=True, at_most=0)
UNTOLD = RankError(exact=None, at_most=None)


def rank_error(before: Sequence[Reply], after: Sequence[Reply]) -> RankError:
    """Compare the boards' versions from before the first read and after the last one.

    A version is the board's epoch and the members written in it. Each member written between can
    have moved one player past the score in question; in a new epoch nobody counted them.
    """
    if not before or any(
        old[0] is None or old[0] != new[0] for old, new in zip(before, after, strict=True)
    ):
        return UNTOLD
    moved = sum(int(new[1] or 0) - int(old[1] or 0) for old, new in zip(before, after, strict=True))
    return RankError(exact=moved == 0, at_most=moved)
