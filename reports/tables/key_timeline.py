"""key_timeline.csv: hits per key and op, second by second."""

from collections.abc import Iterator
from functools import partial

from reports.numbers.rounding import Cell
from reports.rundir.seconds import NOT_READ, Seconds
from reports.tables.table import MadeAnew, Table

COLUMNS = ("second", "key", "op", "hits")


def key_timeline_table(seconds: Seconds) -> Table:
    """A row for each hit count that was read."""
    return Table("key_timeline.csv", COLUMNS, MadeAnew(partial(_rows, seconds)))


def _rows(seconds: Seconds) -> Iterator[tuple[Cell, ...]]:
    keys = list(dict.fromkeys(key for key, _ in seconds.hits))
    columns = sorted(seconds.hits.items(), key=lambda one: (keys.index(one[0][0]), one[0][1]))
    for second in range(max((len(one) for _, one in columns), default=0)):
        for (key, op), hits in columns:
            if second < len(hits) and hits[second] != NOT_READ:
                yield (second, key, op, hits[second])
