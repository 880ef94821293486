"""What is compared, and comparison.csv: one row for each measure of each operation."""

from collections.abc import Iterator
from dataclasses import dataclass

from reports.comparison.sides import Side, Spread, spread_of
from reports.derived import Derived
from reports.numbers.histogram import PERCENTILES
from reports.numbers.rounding import Cell, ratio
from reports.tables.operations import SERVICE_PERCENTILES
from reports.tables.table import Table, table

RATES = ("offered_per_second", "achieved_per_second")
COUNTS = ("failed", "dropped")
TIMES = (*PERCENTILES, "max_ms", *SERVICE_PERCENTILES)
SKEW = ("hottest_share", "effective_keys", "keys_touched")
COMPARISON_CSV = "comparison.csv"
COLUMNS = (
    "operation",
    "measure",
    "a_median",
    "a_lowest",
    "a_highest",
    "a_rounds",
    "b_median",
    "b_lowest",
    "b_highest",
    "b_rounds",
    "ratio",
    "apart",
)
_FEWEST_ROUNDS = 2


@dataclass(frozen=True)
class Measure:
    """One measure of one operation (or of writes or reads) on both sides."""

    operation: str
    name: str
    a: Spread | None
    b: Spread | None

    @property
    def ratio(self) -> float | None:
        """B's median over A's."""
        return ratio(self.b.median, self.a.median) if self.a and self.b else None

    @property
    def apart(self) -> bool | None:
        """Whether no round of one side reaches the other; one round cannot tell."""
        if not (self.a and self.b) or min(self.a.rounds, self.b.rounds) < _FEWEST_ROUNDS:
            return None
        return self.a.highest < self.b.lowest or self.b.highest < self.a.lowest


def measures_of(a: Side, b: Side) -> list[Measure]:
    """Every measure, operation by operation, then the skew of writes and reads."""
    operations = dict.fromkeys(
        str(row["operation"])
        for one in (*a.rounds, *b.rounds)
        for row in one.tables["operations.csv"].records()
    )
    # `all` is the last row of each table, whatever the other side measured besides.
    names = [name for name in operations if name != "all"] + ["all"]
    return [*_requests(names, a, b), *_skews(a, b)]


def comparison_table(measures: list[Measure]) -> Table:
    """The measures as comparison.csv."""
    return table(COMPARISON_CSV, COLUMNS, [_row(one) for one in measures])


def _requests(names: list[str], a: Side, b: Side) -> Iterator[Measure]:
    for name in names:
        for column in (*RATES, *COUNTS, *TIMES):
            yield Measure(
                name,
                column,
                spread_of([_cell(one, name, column) for one in a.rounds]),
                spread_of([_cell(one, name, column) for one in b.rounds]),
            )


def _skews(a: Side, b: Side) -> Iterator[Measure]:
    for op in ("write", "read"):
        for name in SKEW:
            yield Measure(
                op,
                name,
                spread_of([_skew(one, op, name) for one in a.rounds]),
                spread_of([_skew(one, op, name) for one in b.rounds]),
            )


def _cell(derived: Derived, operation: str, column: str) -> Cell:
    rows = derived.tables["operations.csv"].records()
    return next((row[column] for row in rows if row["operation"] == operation), None)


def _skew(derived: Derived, op: str, name: str) -> Cell:
    found: dict[str, Cell] | None = (derived.skew or {}).get(op)
    return found[name] if found else None


def _row(measure: Measure) -> dict[str, Cell]:
    apart = measure.apart
    row: dict[str, Cell] = {
        "operation": measure.operation,
        "measure": measure.name,
        "ratio": measure.ratio,
        "apart": None if apart is None else int(apart),
    }
    for side, spread in (("a", measure.a), ("b", measure.b)):
        row[f"{side}_median"] = spread.median if spread else None
        row[f"{side}_lowest"] = spread.lowest if spread else None
        row[f"{side}_highest"] = spread.highest if spread else None
        row[f"{side}_rounds"] = spread.rounds if spread else 0
    return row
