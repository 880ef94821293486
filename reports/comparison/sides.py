"""The two sides of a comparison, each a number of rounds of the same thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from reports.derived import Derived
from reports.numbers.rounding import Cell
from reports.verdict.verdict import Status


@dataclass(frozen=True)
class Side:
    """One side: its rounds, and the name that tells it from the other."""

    label: str
    rounds: tuple[Derived, ...]


@dataclass(frozen=True)
class Spread:
    """One measure over the rounds: the median and both ends; the rounds that measured it."""

    median: float
    lowest: float
    highest: float
    rounds: int


def sides_of(first: Sequence[Derived], second: Sequence[Derived]) -> tuple[Side, Side]:
    """Sides named by their modes where these tell them apart, else A and B."""
    modes = [sorted({one.run.facts.mode for one in rounds}) for rounds in (first, second)]
    apart = all(len(mode) == 1 for mode in modes) and modes[0] != modes[1]
    labels = (modes[0][0], modes[1][0]) if apart else ("A", "B")
    return Side(labels[0], tuple(first)), Side(labels[1], tuple(second))


def spread_of(cells: Sequence[Cell]) -> Spread | None:
    """The spread of what was measured; None when no round measured it."""
    values = [float(cell) for cell in cells if isinstance(cell, int | float)]
    if not values:
        return None
    return Spread(median(values), min(values), max(values), len(values))


def worst_status(sides: tuple[Side, Side]) -> Status:
    """Invalid if a single round is, then fail, then pass."""
    found = {one.verdict.status for side in sides for one in side.rounds}
    return next(status for status in (Status.INVALID, Status.FAIL, Status.PASS) if status in found)
