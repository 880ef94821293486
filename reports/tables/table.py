"""A table: named columns, rows of cells, and its one CSV form."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain

from reports.numbers.rounding import Cell, written


@dataclass(frozen=True)
class Table:
    """One CSV file; a cell that was not measured is None, written as an empty cell."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]

    def records(self) -> list[dict[str, Cell]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def csv(self) -> str:
        """Commas, LF, a header line."""
        return "".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The same, line by line."""
        out = StringIO()
        writer = csv.writer(out, lineterminator="\n")
        for row in chain([self.columns], self.rows):
            writer.writerow([written(cell) for cell in row])
            yield out.getvalue()
            out.seek(0)
            out.truncate()


@dataclass(frozen=True)
class MadeAnew:
    """The rows of a table too long to be held: made each time that somebody asks for them."""

    make: Callable[[], Iterator[tuple[Cell, ...]]]

    def __iter__(self) -> Iterator[tuple[Cell, ...]]:
        return self.make()


def table(name: str, columns: Sequence[str], records: Sequence[dict[str, Cell]]) -> Table:
    """A table from records that have exactly the columns."""
    rows = tuple(tuple(record[column] for column in columns) for record in records)
    return Table(name, tuple(columns), rows)
