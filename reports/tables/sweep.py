"""sweep.csv: counting before, during and after a sweep; runs with members only."""

from reports.numbers.rounding import Cell
from reports.numbers.sweep_figures import CountingSpan, SweepFigures
from reports.tables.operations import PERCENTILES
from reports.tables.table import Table, table

_SHOWN = ("p50_ms", "p99_ms")
COLUMNS = ("phase", "from_second", "to_second", "ok", *_SHOWN, "max_ms")


def sweep_table(figures: SweepFigures) -> Table:
    """A row for each phase, in order; one without seconds has no figures."""
    return table("sweep.csv", COLUMNS, [_row(span) for span in figures.spans])


def _row(span: CountingSpan) -> dict[str, Cell]:
    row: dict[str, Cell] = {
        "phase": span.phase,
        "from_second": span.seconds.start if span.seconds else None,
        "to_second": span.seconds.stop if span.seconds else None,
        "ok": span.ok if span.seconds else None,
    }
    row |= {name: span.response_us.percentile_ms(PERCENTILES[name]) for name in _SHOWN}
    return row | {"max_ms": span.response_us.max_ms}
