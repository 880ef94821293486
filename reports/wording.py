"""Figures put into words, the same in the terminal and on the pages."""

from fractions import Fraction


def scale_words(scale: float) -> str:
    """The scale as a reader thinks of it: 0.001 is 1/1000."""
    exact = Fraction(str(scale))
    if exact == 1:
        return "all"
    if exact.numerator == 1:
        return f"1/{exact.denominator}"
    return f"{scale:g} times" if scale > 1 else f"{float(scale) * 100:g} %"


def percent(share: Fraction | float) -> str:
    """A share as a reader expects it, never rounded up to a whole it is not."""
    hundredths = float(share) * 100
    text = f"{hundredths:.2f}".rstrip("0").rstrip(".")
    if text == "100" and share != 1:
        text = f"{hundredths:.4f}" if share > 1 else "over 99.99"
    return f"{text} %"
