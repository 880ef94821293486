"""One rounding for every place a figure appears, so that no two of them differ."""

DECIMALS = 6

Cell = int | float | str | None


def rounded(cell: Cell) -> Cell:
    """The value as the CSV files hold it."""
    return round(cell, DECIMALS) if isinstance(cell, float) else cell


def written(cell: Cell) -> str:
    """A cell as text: floats rounded, without trailing zeros or exponents; None is empty."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.{DECIMALS}f}".rstrip("0").rstrip(".")
    return str(cell)


def ratio(part: float, whole: float) -> float | None:
    """A fraction, or None when there is nothing to take it of."""
    return part / whole if whole else None
