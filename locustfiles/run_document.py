"""run.json: what was asked for, where, and with which inputs."""

from dataclasses import asdict
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from locustfiles.host_facts import git_facts, host_facts, version_facts
from locustfiles.inputs import RunInputs
from workload.assumptions import FIXED_REQUIREMENTS
from workload.model import TrafficModel, partition_keys

SCHEMA_VERSION: Final = 1


def timestamp(epoch_seconds: float) -> str:
    """An instant in RFC 3339, UTC, with milliseconds."""
    instant = datetime.fromtimestamp(epoch_seconds, UTC)
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
