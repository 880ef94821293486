"""What an event adds up: a configuration, no code path.

`sum` adds the field's amounts, `count` counts the races that carry the field, `max` keeps the
largest amount. Contributions fold into the total by the same rule as races into contributions,
so one rule tells whether both agree.
"""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct


class Kind(StrEnum):
    """How amounts become one number."""

    SUM = "sum"
    COUNT = "count"
    MAX = "max"

    def amount(self, carried: int) -> int:
        """Return what a race with this amount in the field is worth."""
        return 1 if self is Kind.COUNT else carried

    def fold(self, amounts: Iterable[int]) -> int:
        """Return what the amounts make together, 0 when there are none."""
        return max(amounts, default=0) if self is Kind.MAX else sum(amounts)


class Aggregate(Struct, frozen=True):
    """The field of a race that counts, how, and the unit of its whole numbers."""

    field: str
    kind: Kind
    unit: str
