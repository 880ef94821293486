"""operations.csv, timeline.csv and failures.csv: what became of the requests."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import isnan

from reports.numbers.histogram import PERCENTILES, Histogram
from reports.numbers.rounding import Cell, ratio
from reports.numbers.span import measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements, Operation
from reports.rundir.seconds import TIMES, Column, Seconds
from reports.tables.table import MadeAnew, Table, table

ALL = "all"
SERVICE_PERCENTILES = {
    "service_p50_ms": PERCENTILES["p50_ms"],
    "service_p99_ms": PERCENTILES["p99_ms"],
}
COUNTS = ("offered", "sent", "dropped", "completed", "ok", "failed")
OPERATIONS_COLUMNS = (
    "operation",
    "model_per_second",
    *COUNTS,
    "offered_per_second",
    "achieved_per_second",
    "share",
    "model_share",
    *PERCENTILES,
    "max_ms",
    *SERVICE_PERCENTILES,
)


@dataclass(frozen=True)
class _Totals:
    model_per_second: float
    achieved: int
    seconds: int


def operation_names(facts: Facts, measurements: Measurements) -> list[str]:
    """The model's operations in its order, then any other that was measured."""
    names = [name for name in facts.model.operations if name in measurements.operations]
    return names + [name for name in measurements.operations if name not in facts.model.operations]


def operations_table(facts: Facts, measurements: Measurements) -> Table:
    """Every operation of the measured phase."""
    names = operation_names(facts, measurements)
    operations = [measurements.operations[name] for name in names]
    rates = facts.model.operations
    totals = _Totals(
        model_per_second=sum(rates[name].per_second for name in names if name in rates),
        achieved=sum(operation.achieved for operation in operations),
        seconds=measured_seconds(facts, measurements),
    )
    rows = [
        _row(name, operation, rates[name].per_second if name in rates else None, totals)
        for name, operation in zip(names, operations, strict=True)
    ]
    rows.append(_row(ALL, _together(operations), totals.model_per_second, totals))
    return table("operations.csv", OPERATIONS_COLUMNS, rows)


def _row(name: str, operation: Operation, rate: float | None, totals: _Totals) -> dict[str, Cell]:
    row: dict[str, Cell] = {"operation": name, "model_per_second": rate}
    # Of a phase that never began nobody counted anything: not even nought.
    row |= {count: getattr(operation, count) if totals.seconds else None for count in COUNTS}
    row |= {
        "offered_per_second": ratio(operation.offered, totals.seconds),
        "achieved_per_second": ratio(operation.achieved, totals.seconds),
        "share": ratio(operation.achieved, totals.achieved),
        "model_share": None if rate is None else ratio(rate, totals.model_per_second),
        "max_ms": operation.response_us.max_ms,
    }
    for column, fraction in PERCENTILES.items():
        row[column] = operation.response_us.percentile_ms(fraction)
    for column, fraction in SERVICE_PERCENTILES.items():
        row[column] = operation.service_us.percentile_ms(fraction)
    return row


def _together(operations: Iterable[Operation]) -> Operation:
    every = list(operations)
    counts = {count: sum(getattr(one, count) for one in every) for count in (*COUNTS, "achieved")}
    return Operation(
        **counts,
        response_us=Histogram.merged(one.response_us for one in every),
        service_us=Histogram.merged(one.service_us for one in every),
    )


TIMELINE_COUNTS = ("offered", "sent", "dropped", "ok", "failed")
TIMELINE_COLUMNS = ("second", "operation", *TIMELINE_COUNTS, *TIMES, "completed")


def timeline_table(facts: Facts, measurements: Measurements, seconds: Seconds) -> Table:
    """A row for each second that was measured, quiet ones included, and each drain second."""
    phase = measured_seconds(facts, measurements)
    columns = {name: seconds.operations[name] for name in operation_names(facts, measurements)}
    length = max(phase, seconds.length)
    return Table("timeline.csv", TIMELINE_COLUMNS, MadeAnew(partial(_rows, columns, phase, length)))


def _rows(columns: dict[str, Column], phase: int, length: int) -> Iterator[tuple[Cell, ...]]:
    for second in range(length):
        for name, column in columns.items():
            is_recorded = second < len(column.recorded) and column.recorded[second]
            if is_recorded:
                counts = [column.counts[count][second] for count in TIMELINE_COUNTS]
                times = [_told(column.times[time][second]) for time in TIMES]
                completed = column.counts["completed"][second]
                yield (second, name, *counts, *times, completed)
            elif second < phase:
                yield (second, name, 0, 0, 0, 0, 0, None, None, None, 0)


def _told(value: float) -> float | None:
    return None if isnan(value) else value


FAILURES_COLUMNS = ("operation", "kind", "count", "first_second", "last_second")


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
    return table("failures.csv", FAILURES_COLUMNS, rows)
