"""The scale is read exactly, or refused in a sentence."""

from fractions import Fraction

import pytest

from workload.assumptions import InvalidWorkload
from workload.scale import scale_from_text, scaled_players


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("0.001", Fraction(1, 1000)),
        ("1", Fraction(1)),
        (" 1e-3 ", Fraction(1, 1000)),
        ("100", Fraction(100)),
    ],
)
def test_a_scale_is_the_decimal_it_is_written_as(text: str, scale: Fraction) -> None:
    """A thousandth is exactly a thousandth."""
    assert scale == scale_from_text(text)


@pytest.mark.parametrize(
    "text", ["0", "-1", "nan", "inf", "100.1", "1e400", "1e-999999999", "1/1000", "", "small"]
)
def test_any_other_scale_is_refused(text: str) -> None:
    """The sentence shows what was written."""
    with pytest.raises(InvalidWorkload) as refusal:
        scale_from_text(text)

    assert (
        f"SCALE must be a decimal number above 0 and up to 100, such as 0.001; it is {text!r}.",
    ) == refusal.value.problems


def test_players_are_scaled_down_to_a_whole_number() -> None:
    """Part of a player is no player."""
    assert scaled_players(12_999, Fraction(1, 1000)) == 12
