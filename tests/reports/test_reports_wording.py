"""Figures in words."""

from fractions import Fraction

import pytest

from reports.page.formats import ABSENT, milliseconds, rate, shortened, times
from reports.wording import percent, scale_words


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (1, "100 %"),
        (Fraction(1, 12), "8.33 %"),
        (0.99999, "over 99.99 %"),
        (0.00001, "under 0.01 %"),
        (0, "0 %"),
        (1.02, "102 %"),
    ],
)
def test_a_share_is_never_rounded_to_all_or_nothing(share: float, text: str) -> None:
    """100 % is all and 0 % is none; what is close says so."""
    assert text == percent(share)


@pytest.mark.parametrize(
    ("scale", "text"),
    [(0.001, "1/1000"), (1, "all"), (0.005, "1/200"), (0.3, "30 %"), (2.5, "2.5 times")],
)
def test_a_scale_is_told_as_readers_think(scale: float, text: str) -> None:
    """A scale that is one part of the model is written so."""
    assert text == scale_words(scale)


def test_figures_have_three_digits_or_so() -> None:
    """Small times keep decimals, large ones lose them; what is absent is a dash."""
    assert ["1.57", "12.3", "1,402", ABSENT] == [
        milliseconds(cell) for cell in (1.571, 12.34, 1401.9, None)
    ]
    assert ["240", "239.95", "12,000", ABSENT] == [rate(cell) for cell in (240, 239.95, 12e3, None)]
    assert ["0.87", "12.0", ABSENT] == [times(cell) for cell in (0.8709, 11.98, None)]
    assert shortened("a, b, c, d") == "a, …, d (4)"
