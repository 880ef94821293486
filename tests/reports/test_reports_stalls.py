"""Stalls and how their seconds are listed."""

import pytest

from reports.numbers.span import ranges, stalled_seconds


@pytest.mark.parametrize(
    ("offered", "completed", "stalled"),
    [
        ([100, 100, 100], [100, 49, 151], [1]),
        ([100, 100], [50, 150], []),
        ([7, 100], [0, 0], [1]),
        ([0, 0], [0, 3], []),
    ],
)
def test_a_stall_is_less_than_half_the_answers(
    offered: list[int], completed: list[int], stalled: list[int]
) -> None:
    """A second with under half the answers stalled; a quiet second says nothing."""
    assert stalled == stalled_seconds(offered, completed)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [([], ""), ([3], "3"), ([3, 4], "3\N{EN DASH}4"), ([1, 3, 4, 5, 9], "1, 3\N{EN DASH}5, 9")],
)
def test_seconds_are_listed_in_ranges(seconds: list[int], text: str) -> None:
    """Neighbouring seconds are written as one range."""
    assert text == ranges(seconds)
