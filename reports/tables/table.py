"""A table: named columns, rows of cells, and its one CSV form."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from reports.numbers.rounding import Cell, written


@dataclass(frozen=True)
class Table:
    """One CSV file; a cell that was not measured is None, written as an empty cell."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> list[dict[str, Cell]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def csv(self) -> str:
        """Commas, LF, a header line."""
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([written(cell) for cell in row] for row in self.rows)
        return out.getvalue()


def table(name: str, columns: Sequence[str], records: Sequence[dict[str, Cell]]) -> Table:
    """A table from records that have exactly the columns."""
    rows = tuple(tuple(record[column] for column in columns) for record in records)
    return Table(name, tuple(columns), rows)
