"""The audit of a community event: what clients were told against the lake."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.audit.evidence import Counters
from lab.audit.invariants import Invariant, not_comparable

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


NAME = "community event"
_BEHIND = "behind"


def event_of(measurements: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The run's community event as its clients were told, if the scenario had one."""
    told = (measurements.get("scenario") or {}).get("community_event")
    return told if isinstance(told, Mapping) else None


def with_event(
    audited: dict[str, Any],
    measurements: Mapping[str, Any],
    found: EventEvidence | str,
    before: Counters,
    after: Counters,
) -> dict[str, Any]:
    """An audit with the invariants of the run's event, or why it cannot be compared.

    A run without an event keeps the audit it has.
    """
    told = event_of(measurements)
    if told is None:
        return audited
    if isinstance(found, str):
        missing = [*audited["not_comparable"], not_comparable(NAME, found)]
        return {**audited, "not_comparable": missing}
    invariants = [*_total(told, found), *_deliveries(measurements, found)]
    if (before.service_processes, before.redis_run_id) == (
        after.service_processes,
        after.redis_run_id,
    ):
        invariants.append(_reads(before, after))
    documents = [one.document() for one in invariants]
    return {**audited, "invariants": [*audited["invariants"], *documents]}


def _reads(before: Counters, after: Counters) -> Invariant:
    """A read that found nothing of use is executed as well, and answered from the ledger."""
    return Invariant(
        "event: polls answered from Redis ≤ reads of the total that Redis executed",
        after.total_reads_counted - before.total_reads_counted,
        "≤",
        after.total_reads_executed - before.total_reads_executed,
    )


def _total(told: Mapping[str, Any], found: EventEvidence) -> list[Invariant]:
    final = (told.get("event") or {}).get("final") or {}
    return [
        Invariant(
            "event: total at the end = distinct counted races of the lake, in units",
            found.final_total,
            "=",
            found.recounted_total,
        ),
        Invariant(
            "event: races counted = distinct races of the lake inside the window, by the end",
            found.counted_races,
            "=",
            found.recounted_races,
        ),
        Invariant(
            "event: rows counted = races counted", found.counted_rows, "=", found.counted_races
        ),
        Invariant(
            "event: contributions of players together = total + late, in units",
            found.contributions,
            "=",
            found.ledger_total + found.recounted_late,
        ),
        Invariant(
            "event: total told at the end = total at the end",
            int(final.get("total", -1)),
            "=",
            found.final_total,
        ),
    ]


def _deliveries(measurements: Mapping[str, Any], found: EventEvidence) -> list[Invariant]:
    # SET may have left out an operation of the scenario.
    sent = measurements["operations"].get("races")
    statuses, unknown = (sent["all"]["statuses"], sent["all"]["unknown"]) if sent else ({}, 0)
    counted, delivered = statuses.get("counted", 0), sum(statuses.values())
    invariants = [
        Invariant("event: races told as counted ≤ races counted", counted, "≤", found.counted_rows),
        Invariant(
            "event: races counted ≤ told as counted + unknown",
            found.counted_rows,
            "≤",
            counted + unknown,
        ),
        Invariant("event: deliveries told ≤ rows of the lake", delivered, "≤", found.deliveries),
        Invariant(
            "event: rows of the lake ≤ deliveries told + unknown",
            found.deliveries,
            "≤",
            delivered + unknown,
        ),
    ]
    for operations, name in (
        (("event_player",), "event: reads of the own part that lacked what was told = 0"),
        (("event_v1", "event_v2"), "event: polls told a total below an earlier one = 0"),
    ):
        asked = [
            measurements["operations"][one]
            for one in operations
            if one in measurements["operations"]
        ]
        if asked:
            behind = sum(one["all"]["statuses"].get(_BEHIND, 0) for one in asked)
            invariants.append(Invariant(name, behind, "=", 0))
    return invariants
