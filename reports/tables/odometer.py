"""odometer.csv: polls of a community event's total beside the reads that answered them."""

from typing import TYPE_CHECKING

from reports.numbers.event_figures import SOURCES, EventFigures
from reports.numbers.rounding import ratio
from reports.tables.operations import PERCENTILES
from reports.tables.table import Table, table

if TYPE_CHECKING:
    from reports.numbers.histogram import Histogram
    from reports.numbers.rounding import Cell

POLLS = "polls"
COLUMNS = ("source", "count", "per_second", "age_p50_ms", "age_p99_ms", "age_max_ms")


def odometer_table(figures: EventFigures) -> Table:
    """A row for each kind of poll, one for all, and one for each place the answers came from."""
    rows = [
        _polls(name, figures.polls[name], figures.ages[name], figures.seconds)
        for name in figures.polls
    ]
    rows.append(_polls(POLLS, sum(figures.polls.values()), figures.age, figures.seconds))
    reads = figures.reads
    for source in SOURCES:
        row: dict[str, Cell] = dict.fromkeys(COLUMNS)
        row["source"] = source
        if reads is not None:
            row |= {"count": reads.counts[source], "per_second": reads.per_second(source)}
        rows.append(row)
    return table("odometer.csv", COLUMNS, rows)


def _polls(name: str, count: int, age: "Histogram", seconds: int) -> "dict[str, Cell]":
    return {
        "source": name,
        "count": count if seconds else None,
        "per_second": ratio(count, seconds),
        "age_p50_ms": age.percentile_ms(PERCENTILES["p50_ms"]),
        "age_p99_ms": age.percentile_ms(PERCENTILES["p99_ms"]),
        "age_max_ms": age.max_ms,
    }
