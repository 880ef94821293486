"""Numbers taken at their written, decimal word, so that derived rates never drift."""

from decimal import Decimal
from fractions import Fraction


def exact(number: float | Fraction) -> Fraction:
    """Take a number as the decimal its shortest text shows: 0.02 is exactly 1/50."""
    return Fraction(str(number))


def decimal_text(number: float, times: int = 1) -> str:
    """Write a number, or a multiple of it, in full with at least one decimal: 2.0, 0.125."""
    digits = f"{Decimal(str(number)) * times:f}"
    whole, _, places = digits.partition(".")
    return f"{whole}.{places.rstrip('0') or '0'}"
