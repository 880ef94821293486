"""What versions from before and after tell about a rank."""

import pytest

from target_service.leaderboard.ranks import RankError, rank_error

STILL = [["a", "5"], ["b", None]]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (STILL, STILL, RankError(exact=True, at_most=0)),
        (STILL, [["a", "7"], ["b", "1"]], RankError(exact=False, at_most=3)),
        (STILL, [["a", "5"], ["c", "0"]], RankError(exact=None, at_most=None)),
        ([[None, None]], [[None, None]], RankError(exact=None, at_most=None)),
        ([], [], RankError(exact=None, at_most=None)),
    ],
)
def test_increments_add_up(
    before: list[list[str | None]], after: list[list[str | None]], expected: RankError
) -> None:
    """Unchanged is exact, changed is bounded, a new epoch or no version says nothing."""
    assert expected == rank_error(before, after)
