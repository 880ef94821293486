"""Settling: sets, repeats without effect, credits everything at once, and takes nothing back."""

from hypothesis import given
from hypothesis import strategies as st

from target_service.achievements.tracks import (
    COLUMNS,
    NO_STANDING,
    TRACKS,
    Progress,
    award,
    points,
    settle,
)

numbers = st.tuples(*[st.integers(0, 200_000)] * len(COLUMNS))
histories = st.lists(numbers, min_size=1, max_size=6)
HOST = next(track for track in TRACKS if track.achievement == "host")


def test_award_sets_the_running_total() -> None:
    """The total follows the counter both ways; the level only rises."""
    up = award(HOST, Progress(), 12)
    down = award(HOST, up, 3)

    assert Progress(total=12, level=2) == up
    assert Progress(total=3, level=2) == down
    assert down == award(HOST, down, 3)


def test_a_level_is_reached_by_its_number_and_not_before() -> None:
    """The bound itself counts."""
    assert [0, 1, 1, 2] == [award(HOST, Progress(), total).level for total in (0, 1, 9, 10)]


def test_the_first_recount_credits_every_level() -> None:
    """Months of history are settled at once, lowest level first."""
    standing, unlocked = settle(NO_STANDING, (0, 0, 0, 100, 0, 0))

    assert [("host", 1, 10), ("host", 2, 30), ("host", 3, 80)] == unlocked
    assert 120 == points(standing)


@given(histories)
def test_however_often_it_is_recounted_each_level_unlocks_once(
    history: list[tuple[int, ...]],
) -> None:
    """Levels over a history are those of the highest numbers, each unlocked once; totals the last.

    The truth is counted level by level, from the numbers alone.
    """
    standing, unlocked = NO_STANDING, []
    for seen in history:
        standing, some = settle(standing, seen)
        again, none = settle(standing, seen)

        assert (standing, []) == (again, none)
        unlocked += some

    expected = {
        (track.achievement, level)
        for place, track in enumerate(TRACKS)
        for level, asked in enumerate(track.levels, 1)
        if max(seen[place] for seen in history) >= asked.at
    }
    assert len(unlocked) == len(expected)
    assert expected == {(unlock.achievement, unlock.level) for unlock in unlocked}
    assert points(standing) == sum(unlock.points for unlock in unlocked)
    assert history[-1] == tuple(progress.total for progress in standing)
