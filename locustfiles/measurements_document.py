"""measurements.json: what was counted, before anything is derived from it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from locustfiles.buckets import Counts, encoded
from locustfiles.cell import Cell
from locustfiles.recording import FailureSpan, OperationRecord, Recording

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class Ending:
    """How a run ended; `unfinished` while it has not."""

    ended: str = "unfinished"
    reason: str | None = None


def settled_lines(recording: Recording, before: int) -> Iterator[str]:
    """A line of seconds.jsonl for each measured second of each operation that is over."""
    for name, record in recording.operations.items():
        for second, cell in record.before(before):
            if second >= 0:
                line = {"second": second, "operation": name} | _row(second, cell)
                yield f"{json.dumps(line, separators=(',', ':'))}\n"


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
    measured = [one for second, one in cells.items() if 0 <= second < duration_seconds]
    totals = _sums(
        [record.measured.counts, *measured],
        "offered", "sent", "dropped", "answered", "ok", "failed", "achieved",
    )  # fmt: skip
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
    everything = [record.warmup.counts, record.measured.counts, *cells.values()]
    whole = _sums(everything, "offered", "sent", "dropped", "ok", "failed")
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


def _sums(cells: Sequence[Cell], *names: str) -> dict[str, int]:
    return {name: sum(getattr(cell, name) for cell in cells) for name in names}


def _failures(record: OperationRecord, duration_seconds: int) -> list[dict[str, Any]]:
    found = {kind: replace(span) for kind, span in record.measured.failures.items()}
    for kind, by_second in record.failures.items():
        for second, count in by_second.items():
            if 0 <= second < duration_seconds:
                found.setdefault(kind, FailureSpan(0, second, second)).add(second, count)
    return [{"kind": kind, **asdict(span)} for kind, span in sorted(found.items())]


def _texts(counts: Counts) -> dict[str, int]:
    return {str(bucket): count for bucket, count in sorted(counts.items())}
