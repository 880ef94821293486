"""odometer.csv and sweep.csv: tables of runs with a community event or with members."""

from reports.numbers.event_figures import SOURCES, EventFigures
from reports.numbers.histogram import PERCENTILES, Histogram
from reports.numbers.rounding import Cell, ratio
from reports.numbers.sweep_figures import CountingSpan, SweepFigures
from reports.tables.table import Table, table

POLLS = "polls"
ODOMETER_COLUMNS = ("source", "count", "per_second", "age_p50_ms", "age_p99_ms", "age_max_ms")


def odometer_table(figures: EventFigures) -> Table:
    """A row for each kind of poll, one for all, and one for each place the answers came from."""
    rows = [
        _polls(name, figures.polls[name], figures.ages[name], figures.seconds)
        for name in figures.polls
    ]
    rows.append(_polls(POLLS, sum(figures.polls.values()), figures.age, figures.seconds))
    reads = figures.reads
    for source in SOURCES:
        row: dict[str, Cell] = dict.fromkeys(ODOMETER_COLUMNS)
        row["source"] = source
        if reads is not None:
            row |= {"count": reads.counts[source], "per_second": reads.per_second(source)}
        rows.append(row)
    return table("odometer.csv", ODOMETER_COLUMNS, rows)


def _polls(name: str, count: int, age: "Histogram", seconds: int) -> "dict[str, Cell]":
    return {
        "source": name,
        "count": count if seconds else None,
        "per_second": ratio(count, seconds),
        "age_p50_ms": age.percentile_ms(PERCENTILES["p50_ms"]),
        "age_p99_ms": age.percentile_ms(PERCENTILES["p99_ms"]),
        "age_max_ms": age.max_ms,
    }


_SHOWN = ("p50_ms", "p99_ms")
SWEEP_COLUMNS = ("phase", "from_second", "to_second", "ok", *_SHOWN, "max_ms")


def sweep_table(figures: SweepFigures) -> Table:
    """A row for each phase, in order; one without seconds has no figures."""
    return table("sweep.csv", SWEEP_COLUMNS, [_row(span) for span in figures.spans])


def _row(span: CountingSpan) -> dict[str, Cell]:
    row: dict[str, Cell] = {
        "phase": span.phase,
        "from_second": span.seconds.start if span.seconds else None,
        "to_second": span.seconds.stop if span.seconds else None,
        "ok": span.ok if span.seconds else None,
    }
    row |= {name: span.response_us.percentile_ms(PERCENTILES[name]) for name in _SHOWN}
    return row | {"max_ms": span.response_us.max_ms}
