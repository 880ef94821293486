"""measurements.json: what was counted, before anything is derived from it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from locustfiles.buckets import Counts, encoded
from locustfiles.cell import Cell
from locustfiles.recording import OperationRecord, Recording

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class Ending:
    """How a run ended; `unfinished` while it has not."""

    ended: str = "unfinished"
    reason: str | None = None


def pieces(
    recording: Recording, duration_seconds: int, facts: dict[str, Any], ending: Ending
) -> Iterator[str]:
    """The document in pieces small enough not to hold up a schedule that is being replayed."""
    head = {"schema_version": SCHEMA_VERSION, "ended": ending.ended, "end_reason": ending.reason}
    for name, value in (head | facts | {"lateness_us": _texts(recording.lateness_us)}).items():
        yield f"{'{' if name == 'schema_version' else ','}{json.dumps(name)}:{json.dumps(value)}"
    yield ',"operations":{'
    for place, (name, record) in enumerate(recording.operations.items()):
        yield f"{',' if place else ''}{json.dumps(name)}:"
        yield from _operation(record, duration_seconds)
    yield "}}\n"


def _operation(record: OperationRecord, duration_seconds: int) -> Iterator[str]:
    cells = dict(sorted(record.cells.items()))
    measured = {second: one for second, one in cells.items() if 0 <= second < duration_seconds}
    totals = _sums(measured, "offered", "sent", "dropped", "answered", "ok", "failed", "achieved")
    totals["completed"] = totals.pop("answered")
    yield json.dumps(
        totals | {"overflow": record.overflow, "failures": _failures(record, duration_seconds)}
    ).removesuffix("}")
    for name, counts in (
        ("response_us", record.response_us),
        ("service_us", record.service_us),
        ("failed_response_us", record.failed_response_us),
    ):
        yield f',"{name}":"{encoded(counts)}"'
    if record.age_us:
        yield f',"age_us":"{encoded(record.age_us)}"'
    whole = _sums(cells, "offered", "sent", "dropped", "ok", "failed")
    rest = {
        "unknown": record.unknown,
        "statuses": record.statuses,
        "reconnects": record.reconnects,
    }
    yield f',"all":{json.dumps(whole | rest)},"seconds":['
    rows = (second for second in cells if second >= 0)
    for place, second in enumerate(rows):
        yield ("," if place else "") + json.dumps(_row(second, cells[second]))
    yield "]}"


def _row(second: int, cell: Cell) -> dict[str, Any]:
    return {
        "second": second,
        "offered": cell.offered,
        "sent": cell.sent,
        "dropped": cell.dropped,
        "ok": cell.ok,
        "failed": cell.failed,
        "completed": cell.completed,
        "response_us": _texts(cell.response_us),
    }


def _sums(cells: dict[int, Cell], *names: str) -> dict[str, int]:
    return {name: sum(getattr(cell, name) for cell in cells.values()) for name in names}


def _failures(record: OperationRecord, duration_seconds: int) -> list[dict[str, Any]]:
    found = []
    for kind, by_second in sorted(record.failures.items()):
        measured = [second for second in by_second if 0 <= second < duration_seconds]
        if measured:
            found.append(
                {
                    "kind": kind,
                    "count": sum(by_second[second] for second in measured),
                    "first_second": min(measured),
                    "last_second": max(measured),
                }
            )
    return found


def _texts(counts: Counts) -> dict[str, int]:
    return {str(bucket): count for bucket, count in sorted(counts.items())}
