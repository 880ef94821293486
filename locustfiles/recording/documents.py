"""run.json and measurements.json: the inputs of a run, its machine, and what was counted."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Final

from locustfiles.recording.buckets import Counts, encoded
from locustfiles.recording.host_facts import git_facts, host_facts, version_facts
from locustfiles.recording.recording import FailureSpan, OperationRecord, Recording, SecondCounts
from locustfiles.run.inputs import RunInputs
from locustfiles.schedule.clock import timestamp
from workload.assumptions import FIXED_REQUIREMENTS
from workload.model import TrafficModel, partition_keys

SCHEMA_VERSION: Final = 1
MEASUREMENTS_VERSION: Final = 1


def run_document(inputs: RunInputs, started_at: float) -> dict[str, Any]:
    """The document as it is before the start; times that are not known yet are null."""
    options, scenario, plan = inputs.options, inputs.scenario, inputs.plan
    verbatim = inputs.description.verbatim
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": plan.run_id,
        "scenario": scenario.name,
        "description": scenario.description,
        "mode": inputs.description.boards.mode,
        "scale": float(Fraction(plan.scale)),
        "seed": plan.seed,
        "players": plan.players,
        "popularity": scenario.assumptions.popularity,
        "duration_seconds": plan.duration_seconds,
        "warmup_seconds": plan.warmup_seconds,
        "workers": plan.slices,
        "started_at": timestamp(started_at),
        "measured_from": None,
        "measured_to": None,
        "ended_at": None,
        "model": _model(inputs),
        "load": asdict(scenario.load),
        "objectives": scenario.objectives,
        "host": host_facts(),
        "versions": version_facts(inputs.description.boards.redis),
        **git_facts(),
        "target": inputs.dialer.address.url,
        "stack": options.stack,
        "foreign": options.is_foreign,
        "service": verbatim,
        "command": options.command,
        "warnings": _warnings(inputs),
        "skew": None,
        "verdict": None,
    }


def _model(inputs: RunInputs) -> dict[str, Any]:
    assumptions, plan = inputs.scenario.assumptions, inputs.plan
    model = TrafficModel(assumptions)
    whole = inputs.scenario.rates()
    shares = plan.popularity.partition_shares().tolist()
    return {
        "assumptions": asdict(assumptions),
        "fixed": list(FIXED_REQUIREMENTS),
        "unused": list(assumptions.unused),
        "derived": model.derived(),
        "operations": {
            name: {
                "model_per_second": float(whole[name]),
                "per_second": float(rate),
                "seconds": plan.seconds_sent(name),
            }
            for name, rate in plan.rates_per_second.items()
        },
        "modelled_mix": inputs.scenario.modelled_mix,
        "needs_boards": plan.needs_boards,
        "partition_shares": dict(zip(partition_keys(assumptions), shares, strict=True)),
    }


def _warnings(inputs: RunInputs) -> list[str]:
    plan = inputs.plan
    scaled = TrafficModel(plan.assumptions).players(Fraction(plan.scale))
    warnings = []
    if plan.players != scaled:
        had = "were loaded" if plan.needs_boards else "took part"
        warnings.append(
            f"{plan.players:,} players {had}; scale {plan.scale} stands for {scaled:,}."
        )
    idle = [name for name, rate in plan.rates_per_second.items() if rate == 0]
    if idle:
        whose = "model" if inputs.scenario.modelled_mix else "scenario"
        warnings.append(f"The {whose} sends no {', '.join(idle)} requests.")
    return warnings


@dataclass(frozen=True)
class Ending:
    """How a run ended; `unfinished` while it has not."""

    ended: str = "unfinished"
    reason: str | None = None


def settled_lines(recording: Recording, before: int) -> Iterator[str]:
    """A line of seconds.jsonl for each measured second of each operation that is over."""
    for name, record in recording.operations.items():
        for second, counts in record.seconds_before(before):
            if second >= 0:
                line = {"second": second, "operation": name} | _row(second, counts)
                yield f"{json.dumps(line, separators=(',', ':'))}\n"


def measurement_pieces(
    recording: Recording, duration_seconds: int, facts: dict[str, Any], ending: Ending
) -> Iterator[str]:
    """measurements.json in pieces, each small enough not to delay the schedule that is replayed."""
    head = {
        "schema_version": MEASUREMENTS_VERSION,
        "ended": ending.ended,
        "end_reason": ending.reason,
    }
    for name, value in (head | facts | {"lateness_us": _texts(recording.lateness_us)}).items():
        yield f"{'{' if name == 'schema_version' else ','}{json.dumps(name)}:{json.dumps(value)}"
    yield ',"operations":{'
    for place, (name, record) in enumerate(recording.operations.items()):
        yield f"{',' if place else ''}{json.dumps(name)}:"
        yield from _operation(record, duration_seconds)
    yield "}}\n"


def _operation(record: OperationRecord, duration_seconds: int) -> Iterator[str]:
    seconds = dict(sorted(record.seconds.items()))
    measured = [one for second, one in seconds.items() if 0 <= second < duration_seconds]
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
    everything = [record.warmup.counts, record.measured.counts, *seconds.values()]
    whole = _sums(everything, "offered", "sent", "dropped", "ok", "failed")
    rest = {
        "unknown": record.unknown,
        "statuses": record.statuses,
        "reconnects": record.reconnects,
    }
    yield f',"all":{json.dumps(whole | rest)},"seconds":['
    rows = (second for second in seconds if second >= 0)
    for place, second in enumerate(rows):
        yield ("," if place else "") + json.dumps(_row(second, seconds[second]))
    yield "]}"


def _row(second: int, counts: SecondCounts) -> dict[str, Any]:
    return {
        "second": second,
        "offered": counts.offered,
        "sent": counts.sent,
        "dropped": counts.dropped,
        "ok": counts.ok,
        "failed": counts.failed,
        "completed": counts.completed,
        "response_us": _texts(counts.response_us),
    }


def _sums(seconds: Sequence[SecondCounts], *names: str) -> dict[str, int]:
    return {name: sum(getattr(one, name) for one in seconds) for name in names}


def _failures(record: OperationRecord, duration_seconds: int) -> list[dict[str, Any]]:
    found = {kind: replace(span) for kind, span in record.measured.failures.items()}
    for kind, by_second in record.failures.items():
        for second, count in by_second.items():
            if 0 <= second < duration_seconds:
                found.setdefault(kind, FailureSpan(0, second, second)).add(second, count)
    return [{"kind": kind, **asdict(span)} for kind, span in sorted(found.items())]


def _texts(counts: Counts) -> dict[str, int]:
    return {str(bucket): count for bucket, count in sorted(counts.items())}
