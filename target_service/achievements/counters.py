"""The six counters of a member, and which combinations cannot be."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from target_service.achievements.tracks import COLUMNS

# Each step of the funnel is a part of the one before it. The other counters are driven by page-view
# beacons, which blockers and closed tabs swallow: nothing relates them.
FUNNEL = ("signups", "organizations", "paid_accounts")
COUNTER_LIMIT = 2**53 - 1

# One number for each of COLUMNS, in that order.
Numbers: TypeAlias = tuple[int, ...]
NOTHING: Numbers = (0,) * len(COLUMNS)


class Impossible(NamedTuple):
    """A counter that cannot be what a write would make it, and why."""

    column: str
    reason: str


def added(numbers: Numbers, adds: Numbers) -> Numbers:
    """Return the numbers after the adds."""
    return tuple(map(sum, zip(numbers, adds, strict=True)))


def impossibilities(numbers: Numbers) -> Iterator[Impossible]:
    """Return what cannot be: a step of the funnel beyond the one before, or beyond all numbers."""
    values = dict(zip(COLUMNS, numbers, strict=True))
    for wider, narrower in pairwise(FUNNEL):
        if values[narrower] > values[wider]:
            yield Impossible(
                narrower, f"would be {values[narrower]}, more than {wider}: {values[wider]}"
            )
    for column, value in values.items():
        if value > COUNTER_LIMIT:
            yield Impossible(column, f"would be {value}, more than {COUNTER_LIMIT}")
