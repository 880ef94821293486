"""How figures look on a page; an absent one is a dash, never a nought."""

from reports.numbers.rounding import Cell
from reports.wording import percent

ABSENT = "\N{EN DASH}"
_TEN, _HUNDRED = 10, 100
_MANY = 3


def count(cell: Cell) -> str:
    """A whole number with thousands apart."""
    return f"{cell:,.0f}" if isinstance(cell, int | float) else ABSENT


def rate(cell: Cell) -> str:
    """A rate with the decimals it needs."""
    if not isinstance(cell, int | float):
        return ABSENT
    text = f"{cell:,.2f}" if cell < 10 * _HUNDRED else f"{cell:,.0f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def milliseconds(cell: Cell) -> str:
    """Three figures of a time in ms."""
    if not isinstance(cell, int | float):
        return ABSENT
    decimals = 2 if cell < _TEN else 1 if cell < _HUNDRED else 0
    return f"{cell:,.{decimals}f}"


def times(cell: Cell) -> str:
    """A ratio of two medians."""
    if not isinstance(cell, int | float):
        return ABSENT
    return f"{cell:,.2f}" if cell < _TEN else f"{cell:,.1f}"


def share(cell: Cell) -> str:
    """A fraction as a percentage."""
    return percent(cell) if isinstance(cell, int | float) else ABSENT


def shortened(text: str) -> str:
    """A long list by its ends, as a page shows it."""
    parts = text.split(", ")
    if len(parts) <= _MANY:
        return text
    return f"{parts[0]}, \N{HORIZONTAL ELLIPSIS}, {parts[-1]} ({len(parts)})"
