"""Numbers keep their decimal word."""

from fractions import Fraction

import pytest

from workload.fields import decimal_text, exact


def test_a_float_stands_for_its_shortest_decimal() -> None:
    """A hundredth more than 0.01 is 0.02, which floats do not promise."""
    assert exact(0.1) + exact(0.2) == exact(0.3)
    assert exact(0.02) == Fraction(1, 50)


def test_whole_numbers_and_fractions_stay_what_they_are() -> None:
    """Nothing that is exact already is changed."""
    assert exact(3) == 3
    assert exact(Fraction(1, 3)) == Fraction(1, 3)


@pytest.mark.parametrize(
    ("number", "times", "text"),
    [
        (0.5, 1, "0.5"),
        (2, 1, "2.0"),
        (0.02, 100, "2.0"),
        (0.07, 100, "7.0"),
        (0.000125, 100, "0.0125"),
        (1e-7, 1, "0.0000001"),
        (1e3, 1, "1000.0"),
    ],
)
def test_a_number_is_written_in_full(number: float, times: int, text: str) -> None:
    """At least one decimal, no exponent, no digit too many."""
    assert decimal_text(number, times) == text
