"""The audit of a community event: what the clients were told, against the lake, to the unit."""

from collections.abc import Mapping
from typing import Any

from lab.audit import Invariant, not_comparable
from lab.event_evidence import EventEvidence
from lab.evidence import Counters

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
