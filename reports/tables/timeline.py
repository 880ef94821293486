"""timeline.csv: every second of every operation, so that a stall shows as a hole."""

from collections.abc import Iterator
from functools import partial
from math import isnan

from reports.numbers.rounding import Cell
from reports.numbers.span import measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements
from reports.rundir.seconds import TIMES, Column, Seconds
from reports.tables.operations import operation_names
from reports.tables.table import MadeAnew, Table

COUNTS = ("offered", "sent", "dropped", "ok", "failed")
COLUMNS = ("second", "operation", *COUNTS, *TIMES, "completed")


def timeline_table(facts: Facts, measurements: Measurements, seconds: Seconds) -> Table:
    """A row for each second that was measured, quiet ones included, and each drain second."""
    phase = measured_seconds(facts, measurements)
    columns = {name: seconds.operations[name] for name in operation_names(facts, measurements)}
    length = max(phase, seconds.length)
    return Table("timeline.csv", COLUMNS, MadeAnew(partial(_rows, columns, phase, length)))


def _rows(columns: dict[str, Column], phase: int, length: int) -> Iterator[tuple[Cell, ...]]:
    for second in range(length):
        for name, column in columns.items():
            is_recorded = second < len(column.recorded) and column.recorded[second]
            if is_recorded:
                counts = [column.counts[count][second] for count in COUNTS]
                times = [_told(column.times[time][second]) for time in TIMES]
                completed = column.counts["completed"][second]
                yield (second, name, *counts, *times, completed)
            elif second < phase:
                yield (second, name, 0, 0, 0, 0, 0, None, None, None, 0)


def _told(value: float) -> float | None:
    return None if isnan(value) else value
