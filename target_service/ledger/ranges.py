"""The change numbers that are not marked projected, as disjoint ranges in a table."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator

Range = tuple[int, int]


def add(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Note new changes, the latest there are, as not projected."""
    grown = connection.execute(
        "UPDATE unprojected SET last = ?"
        " WHERE first = (SELECT max(first) FROM unprojected) AND last = ?",
        (last, first - 1),
    )
    if not grown.rowcount:
        connection.execute("INSERT INTO unprojected VALUES (?, ?)", (first, last))


def subtract(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Note changes as projected; saying so twice, or from two places, changes nothing."""
    overlapping = connection.execute(
        "SELECT first, last FROM unprojected WHERE first <= ? AND last >= ?"
        " AND first >= (SELECT coalesce(max(first), 0) FROM unprojected WHERE first <= ?)",
        (last, first, first),
    ).fetchall()
    for start, stop in overlapping:
        connection.execute("DELETE FROM unprojected WHERE first = ?", (start,))
        if start < first:
            connection.execute("INSERT INTO unprojected VALUES (?, ?)", (start, first - 1))
        if stop > last:
            connection.execute("INSERT INTO unprojected VALUES (?, ?)", (last + 1, stop))


def runs_of(changes: Collection[int]) -> Iterator[Range]:
    """Split change numbers into ranges without gaps."""
    if isinstance(changes, range) and changes.step == 1:
        if changes:
            yield changes.start, changes.stop - 1
        return
    yield from merged((change, change) for change in changes)


def merged(runs: Iterable[Range]) -> Iterator[Range]:
    """Join ranges that touch or overlap."""
    current: Range | None = None
    for first, last in sorted(runs):
        if current is None:
            current = (first, last)
        elif first <= current[1] + 1:
            current = (current[0], max(current[1], last))
        else:
            yield current
            current = (first, last)
    if current is not None:
        yield current
