"""failures.csv: which kinds of failure each operation met, how often and when."""

from typing import TYPE_CHECKING

from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.tables.operations import operation_names
from reports.tables.table import Table, table

if TYPE_CHECKING:
    from reports.numbers.rounding import Cell

COLUMNS = ("operation", "kind", "count", "first_second", "last_second")


def failures_table(facts: Facts, measurements: Measurements) -> Table:
    """A row for each operation and kind, the commonest kind first."""
    rows: list[dict[str, Cell]] = [
        {
            "operation": name,
            "kind": failure.kind,
            "count": failure.count,
            "first_second": failure.first_second,
            "last_second": failure.last_second,
        }
        for name in operation_names(facts, measurements)
        for failure in sorted(
            measurements.operations[name].failures, key=lambda one: (-one.count, one.kind)
        )
    ]
    return table("failures.csv", COLUMNS, rows)
