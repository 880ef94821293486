"""keys.csv, key_timeline.csv and shards.csv: what each key and each shard did."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from reports.numbers.histogram import quantile_seconds
from reports.numbers.rounding import Cell, ratio
from reports.numbers.traffic import KeyTraffic, Traffic
from reports.rundir.measurements import Measurements
from reports.rundir.seconds import NOT_READ, Seconds
from reports.tables.table import MadeAnew, Table, table

PERCENTILES = {
    "p50_ms": Fraction(50, 100),
    "p95_ms": Fraction(95, 100),
    "p99_ms": Fraction(99, 100),
}
KEYS_COLUMNS = (
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
    return table("keys.csv", KEYS_COLUMNS, rows)


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


KEY_TIMELINE_COLUMNS = ("second", "key", "op", "hits")


def key_timeline_table(seconds: Seconds) -> Table:
    """A row for each hit count that was read."""
    return Table("key_timeline.csv", KEY_TIMELINE_COLUMNS, MadeAnew(partial(_rows, seconds)))


def _rows(seconds: Seconds) -> Iterator[tuple[Cell, ...]]:
    keys = list(dict.fromkeys(key for key, _ in seconds.hits))
    columns = sorted(seconds.hits.items(), key=lambda one: (keys.index(one[0][0]), one[0][1]))
    for second in range(max((len(one) for _, one in columns), default=0)):
        for (key, op), hits in columns:
            if second < len(hits) and hits[second] != NOT_READ:
                yield (second, key, op, hits[second])


SHARDS_COLUMNS = ("shard", "keys", "hits", "members_written", "share", "cpu_seconds")


def shards_table(measurements: Measurements, traffic: Traffic) -> Table | None:
    """A row for each shard; None when the run had a single Redis process."""
    if not measurements.shards:
        return None
    total = sum(key.hits for key in traffic.keys)
    rows: list[dict[str, Cell]] = []
    for shard in measurements.shards:
        served = [key for key in traffic.keys if key.key in shard.keys]
        hits = sum(key.hits for key in served)
        written = sum(key.members_written for key in served)
        rows.append(
            {
                "shard": shard.shard,
                "keys": len(shard.keys),
                "hits": hits if traffic.keys else None,
                "members_written": written if traffic.keys else None,
                "share": ratio(hits, total),
                "cpu_seconds": shard.cpu_seconds,
            }
        )
    return table("shards.csv", SHARDS_COLUMNS, rows)
