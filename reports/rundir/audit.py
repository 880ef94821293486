"""audit.json: what was compared after the run, both numbers of each comparison."""

import msgspec


class Invariant(msgspec.Struct, frozen=True):
    """One comparison: left, relation, right, and whether it held."""

    name: str
    left: int | float | str | None
    relation: str
    right: int | float | str | None
    held: bool

    @property
    def sentence(self) -> str:
        """The comparison with its numbers."""
        return f"{self.name}: {shown(self.left)} {self.relation} {shown(self.right)}"


class NotComparable(msgspec.Struct, frozen=True):
    """What could not be compared, and why; expected where the run was meant to be so."""

    name: str
    reason: str
    expected: bool = True


class Audit(msgspec.Struct, frozen=True):
    """One audit.json; an incident is a sentence about what befell the run from outside."""

    invariants: list[Invariant]
    not_comparable: list[NotComparable] = []
    incidents: list[str] = []


def shown(value: float | str | None) -> str:
    """One side of a comparison as text."""
    if value is None:
        return "not known"
    return f"{value:,}" if isinstance(value, int | float) else value
