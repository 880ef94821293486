"""operations.csv: one row for each operation, the last for all of them together."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from reports.numbers.histogram import Histogram
from reports.numbers.rounding import Cell, ratio
from reports.numbers.span import measured_seconds
from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements, Operation
from reports.tables.table import Table, table

ALL = "all"
PERCENTILES = {
    "p50_ms": Fraction(50, 100),
    "p90_ms": Fraction(90, 100),
    "p95_ms": Fraction(95, 100),
    "p99_ms": Fraction(99, 100),
    "p999_ms": Fraction(999, 1000),
}
SERVICE_PERCENTILES = {
    "service_p50_ms": PERCENTILES["p50_ms"],
    "service_p99_ms": PERCENTILES["p99_ms"],
}
COUNTS = ("offered", "sent", "dropped", "completed", "ok", "failed")
COLUMNS = (
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
    return table("operations.csv", COLUMNS, rows)


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
