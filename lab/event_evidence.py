"""What the ledger's file holds of a run's community event, recounted from the lake."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

# The first delivery of each race that finished inside the window, and whether it had come by the
# end: told from the lake's own columns, whatever was decided then.
_RECOUNT = (
    "SELECT coalesce(sum(first <= :change), 0),"
    " coalesce(sum(CASE WHEN first <= :change THEN amount END), 0),"
    " coalesce(sum(CASE WHEN first > :change THEN amount END), 0) FROM ("
    " SELECT amount, min(change) AS first FROM odometer_lake"
    " WHERE event = :event AND finished_at_ms >= :opens_at AND finished_at_ms < :closes_at"
    " GROUP BY race)"
)
_COUNTED = (
    "SELECT coalesce(sum(outcome = 'counted'), 0),"
    " count(DISTINCT CASE WHEN outcome = 'counted' THEN race END), count(*)"
    " FROM odometer_lake WHERE event = ?"
)
_PARTS = (
    "SELECT coalesce(sum(amount), 0) FROM ("
    " SELECT amount FROM odometer_contributions WHERE event = :event"
    " UNION ALL SELECT amount FROM odometer_late_contributions WHERE event = :event)"
)


@dataclass(frozen=True)
class EventEvidence:
    """An event that ended: its total, and everything that must agree with it."""

    final_total: int
    ledger_total: int
    recounted_races: int
    recounted_total: int
    recounted_late: int
    contributions: int
    counted_rows: int
    counted_races: int
    deliveries: int


def read_event_evidence(path: Path, event_id: str) -> EventEvidence | str:
    """Return the evidence, or why there is none; the file's service may still use it."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            return _read(connection, event_id)
    except sqlite3.Error as error:
        return f"the ledger's file cannot be read ({error})"


def _read(connection: sqlite3.Connection, event_id: str) -> EventEvidence | str:
    row = connection.execute(
        "SELECT number, opens_at_ms, closes_at_ms, total, document FROM odometer_events"
        " LEFT JOIN odometer_finals ON event = number WHERE id = ?",
        (event_id,),
    ).fetchone()
    if row is None:
        return "the ledger does not know the event"
    number, opens_at_ms, closes_at_ms, total, document = row
    if document is None:
        return "the event did not end during the run"
    final = json.loads(document)
    races, recounted, late = connection.execute(
        _RECOUNT,
        {
            "event": number,
            "opens_at": opens_at_ms,
            "closes_at": closes_at_ms,
            "change": final["change"],
        },
    ).fetchone()
    counted_rows, counted_races, deliveries = connection.execute(_COUNTED, (number,)).fetchone()
    (parts,) = connection.execute(_PARTS, {"event": number}).fetchone()
    return EventEvidence(
        final_total=final["total"],
        ledger_total=total,
        recounted_races=races,
        recounted_total=recounted,
        recounted_late=late,
        contributions=parts,
        counted_rows=counted_rows,
        counted_races=counted_races,
        deliveries=deliveries,
    )
