"""Run directories made up from a seed: what the load generator would have written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from made_facts import run_json
from made_keys import made_keys
from made_load import MadeOperation, made_operation, sparse
from made_plan import Plan


def make_run(parent: Path, plan: Plan) -> Path:
    """Write the raw files of one run below `parent`; returns its directory."""
    path = parent / plan.run_id
    path.mkdir(parents=True)
    operations = _operations(plan)
    _write(path / "run.json", run_json(plan))
    _write(path / "measurements.json", measurements_json(plan, operations))
    if plan.audited:
        _write(path / "audit.json", audit_json(plan, operations))
    return path


def _operations(plan: Plan) -> dict[str, MadeOperation]:
    return {
        name: made_operation(
            np.random.default_rng([plan.seed, number]),
            name,
            rate * plan.scale,
            plan.measured_seconds,
            np.array(plan.shares),
            stall=plan.stall,
            failing=plan.failing,
            failure_kind=plan.failure_kind,
        )
        for number, (name, rate) in enumerate(plan.rates.items())
    }


def measurements_json(plan: Plan, operations: dict[str, MadeOperation]) -> dict[str, Any]:
    """The raw measurements.json."""
    rng = np.random.default_rng([plan.seed, 99])
    arrivals = sum(operation.offered for operation in operations.values())
    return {
        "schema_version": 1,
        "ended": plan.ended,
        "end_reason": plan.end_reason,
        "generators": [
            {
                "slice": number,
                "cpu_ratio": plan.cpu_ratio,
                "reported": number >= plan.silent_workers,
            }
            for number in range(plan.workers)
        ],
        "expected_workers": plan.workers,
        "lateness_us": sparse(rng.exponential(plan.lateness_us, arrivals).astype(np.int64)),
        "operations": {name: operation.json() for name, operation in operations.items()},
        "loading": {"players": 12_000, "events": 12_000, "batches": 12, "ok": 12_000, "unknown": 0},
        "keys": made_keys(rng, plan.keys, operations, plan.keys_reason),
    }


def audit_json(plan: Plan, operations: dict[str, MadeOperation]) -> dict[str, Any]:
    """The audit that the lab would add."""
    accepted = 12_000 + operations["submit"].ok
    return {
        "invariants": [
            {
                "name": "events acknowledged, then events the service accepted",
                "left": accepted,
                "relation": "≤",
                "right": accepted if plan.audit_holds else accepted - 3,
                "held": plan.audit_holds,
            },
            {
                "name": "zadd commands answered, then executed by the server",
                "left": operations["submit"].ok,
                "relation": "≤",
                "right": operations["submit"].ok,
                "held": True,
            },
            {
                "name": "final scores that differ from the board",
                "left": 0,
                "relation": "=",
                "right": 0,
                "held": True,
            },
        ],
        "not_comparable": [
            {"name": "ledger and projection", "reason": "the run kept no ledger (LEDGER=none)"}
        ],
    }


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content))
