"""key_timeline.csv: hits per key and op, second by second."""

from typing import TYPE_CHECKING

from reports.rundir.measurements import Keys
from reports.tables.table import Table, table

if TYPE_CHECKING:
    from reports.numbers.rounding import Cell

COLUMNS = ("second", "key", "op", "hits")


def key_timeline_table(keys: Keys) -> Table:
    """A row for each hit count that was read."""
    rows: list[dict[str, Cell]] = [
        {"second": second.second, "key": key, "op": op, "hits": hits}
        for second in sorted(keys.seconds, key=lambda one: one.second)
        for key, by_op in second.hits.items()
        for op, hits in sorted(by_op.items())
    ]
    return table("key_timeline.csv", COLUMNS, rows)
