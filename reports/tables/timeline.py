"""timeline.csv: every second of every operation, so that a stall shows as a hole."""

from reports.numbers.rounding import Cell
from reports.numbers.span import measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements, Second
from reports.tables.operations import PERCENTILES, operation_names
from reports.tables.table import Table, table

COUNTS = ("offered", "sent", "dropped", "ok", "failed")
SHOWN = ("p50_ms", "p99_ms")
COLUMNS = ("second", "operation", *COUNTS, *SHOWN, "max_ms", "completed")


def timeline_table(facts: Facts, measurements: Measurements) -> Table:
    """A row for each second that was measured, quiet ones included, and each drain second."""
    names = operation_names(facts, measurements)
    seconds = {
        name: {second.second: second for second in measurements.operations[name].seconds}
        for name in names
    }
    recorded = {second for by_second in seconds.values() for second in by_second}
    phase = range(measured_seconds(facts, measurements))
    rows = [
        _row(second, name, seconds[name].get(second, Second(second)))
        for second in sorted(recorded.union(phase))
        for name in names
        if second in phase or second in seconds[name]
    ]
    return table("timeline.csv", COLUMNS, rows)


def _row(number: int, operation: str, second: Second) -> dict[str, Cell]:
    row: dict[str, Cell] = {"second": number, "operation": operation}
    row |= {count: getattr(second, count) for count in COUNTS}
    for column in SHOWN:
        row[column] = second.response_us.percentile_ms(PERCENTILES[column])
    row["max_ms"] = second.response_us.max_ms
    row["completed"] = second.completed
    return row
