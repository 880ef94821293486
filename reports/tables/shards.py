"""shards.csv: how a cluster's Redis processes shared the load; cluster runs only."""

from reports.numbers.rounding import Cell, ratio
from reports.numbers.traffic import Traffic
from reports.rundir.measurements import Measurements
from reports.tables.table import Table, table

COLUMNS = ("shard", "keys", "hits", "members_written", "share", "cpu_seconds")


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
    return table("shards.csv", COLUMNS, rows)
