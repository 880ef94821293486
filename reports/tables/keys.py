"""keys.csv: what each Redis key did during the measured phase, read and write apart."""

from fractions import Fraction

from reports.numbers.buckets import quantile_seconds
from reports.numbers.rounding import Cell, ratio
from reports.numbers.traffic import KeyTraffic, Traffic
from reports.tables.table import Table, table

PERCENTILES = {
    "p50_ms": Fraction(50, 100),
    "p95_ms": Fraction(95, 100),
    "p99_ms": Fraction(99, 100),
}
COLUMNS = (
    "key",
    "op",
    "hits",
    "members_written",
    "share",
    "fair_share",
    "heat",
    *PERCENTILES,
    "members",
)


def keys_table(traffic: Traffic, fair_keys: int | None) -> Table:
    """A row for each key and op, also for a key nothing touched."""
    totals = {op: sum(key.weight for key in traffic.of(op)) for op in ("read", "write")}
    rows = [_row(key, totals[key.op], fair_keys) for key in traffic.keys]
    return table("keys.csv", COLUMNS, rows)


def _row(key: KeyTraffic, total: int, fair_keys: int | None) -> dict[str, Cell]:
    share = ratio(key.weight, total)
    row: dict[str, Cell] = {
        "key": key.key,
        "op": key.op,
        "hits": key.hits,
        "members_written": key.members_written if key.op == "write" else None,
        "share": share,
        "fair_share": 1 / fair_keys if fair_keys else None,
        "heat": share * fair_keys if share is not None and fair_keys else None,
        "members": key.members,
    }
    for column, fraction in PERCENTILES.items():
        seconds = quantile_seconds(key.buckets, fraction)
        row[column] = None if seconds is None else round(seconds * 1000, 3)
    return row
