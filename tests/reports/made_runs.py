"""Run directories made up from a seed: what the load generator would have written."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from made_keys import made_keys
from made_load import MadeOperation, made_operation, sparse

REGIONS = ("na-east", "na-west", "eu", "apac")
MODES = ("solo", "duo", "squad")
PARTITIONS = tuple(f"lb:{region}:{mode}:s1" for region in REGIONS for mode in MODES)
GLOBAL_KEY = "lb:global:all:s1"
MODEL_RATES = {"submit": 240_000, "top": 25_000, "around": 75_000}


@dataclass(frozen=True)
class Plan:
    """What kind of run to make."""

    mode: str = "partitioned"
    scale: float = 0.001
    duration_seconds: int = 20
    seed: int = 7
    stamp: str = "20260906T120000Z"
    shares: tuple[float, ...] = (1 / 12,) * 12
    popularity: str = "uniform"
    stall: tuple[float, float] | None = None
    failing: tuple[float, float] | None = None
    failure_kind: str = "http_5xx"
    ended: str = "completed"
    cut_at: int | None = None
    end_reason: str | None = None
    workers: int = 1
    silent_workers: int = 0
    cpu_ratio: float = 0.31
    lateness_us: int = 300
    keys_reason: str | None = None
    audited: bool = True
    audit_holds: bool = True
    foreign: bool = False
    rates: dict[str, int] = field(default_factory=lambda: dict(MODEL_RATES))

    @property
    def run_id(self) -> str:
        """The name of the run's directory."""
        return f"{self.stamp}-peak-{self.mode}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The Redis keys that serve the boards."""
        return (GLOBAL_KEY,) if self.mode == "naive" else PARTITIONS

    @property
    def measured_seconds(self) -> int:
        """How much of the measured phase takes place."""
        return self.duration_seconds if self.cut_at is None else self.cut_at


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


def run_json(plan: Plan) -> dict[str, Any]:
    """The raw run.json, before skew and verdict."""
    rates = {
        name: {"model_per_second": rate, "per_second": round(rate * plan.scale, 9)}
        for name, rate in plan.rates.items()
    }
    return {
        "schema_version": 1,
        "run_id": plan.run_id,
        "scenario": "peak",
        "description": "The modelled mix at its peak.",
        "mode": plan.mode,
        "scale": plan.scale,
        "seed": plan.seed,
        "players": round(12_000_000 * plan.scale),
        "popularity": plan.popularity,
        "duration_seconds": plan.duration_seconds,
        "warmup_seconds": 5,
        "workers": plan.workers,
        "started_at": "2026-09-06T12:00:00.000Z",
        "measured_from": "2026-09-06T12:00:09.000Z",
        "measured_to": None if plan.cut_at is not None else "2026-09-06T12:00:29.000Z",
        "ended_at": None if plan.ended == "unfinished" else "2026-09-06T12:00:31.250Z",
        "model": {
            "assumptions": {
                "concurrent_players": 12_000_000,
                "update_fraction_per_second": 0.02,
                "leaderboard_reads_per_player_per_minute": 0.5,
                "top_k_share": 0.25,
                "around_me_share": 0.75,
                "regions": list(REGIONS),
                "modes": list(MODES),
                "active_seasons": ["s1"],
                "hot_partition_multiplier": 2.0,
                "popularity": plan.popularity,
                "zipf_exponent": 1.21,
            },
            "fixed": ["concurrent_players"],
            "derived": {
                "score_updates_per_second": 240_000,
                "leaderboard_reads_per_second": 100_000,
                "top_k_reads_per_second": 25_000,
                "around_me_reads_per_second": 75_000,
                "active_partition_count": 12,
                "average_players_per_partition": 1_000_000,
            },
            "operations": rates,
            "partition_shares": dict(zip(PARTITIONS, plan.shares, strict=True)),
        },
        "load": {
            "connections": 48,
            "deadline_seconds": 10.0,
            "request_timeout_seconds": 10.0,
            "k": 10,
            "window": 2,
        },
        "objectives": {
            "achieved_ratio": 0.99,
            "failed": 0,
            "late_ms": 250,
            "late_share": 0.01,
            "naive": {"hottest_write_share": 1.0},
            "partitioned": {"keys_touched": "all", "hottest_share_sigmas": 4},
        },
        "host": {
            "cpu": "AMD EPYC 7763 64-Core Processor",
            "cores": 2,
            "memory_bytes": 8_331_747_328,
            "os": "Linux 6.1.0 x86_64",
        },
        "versions": {
            "python": "3.11.7",
            "locust": "2.47.0",
            "gevent": "25.9.1",
            "redis_server": "valkey 9.1.2",
            "redis_py": "8.1.0",
            "hotboard": "0.1.0",
        },
        "git_revision": "6402e92d1f5b8a0c3e7d4f6a9b2c1d0e8f7a6b5c",
        "git_dirty": False,
        "target": "http://127.0.0.1:8000",
        "foreign": plan.foreign,
        "service": _described(plan),
        "command": f"make load-{plan.mode} SCALE={plan.scale:g} "
        f"DURATION={plan.duration_seconds}s SEED={plan.seed}",
        "warnings": [],
        "skew": None,
        "verdict": None,
    }


def _described(plan: Plan) -> dict[str, Any]:
    naive = plan.mode == "naive"
    return {
        "mode": plan.mode,
        "ledger": "none",
        "season": "s1",
        "regions": list(REGIONS),
        "modes": list(MODES),
        "seasons": ["s1"],
        "partitions": list(PARTITIONS),
        "keys": list(plan.keys),
        "boards": {partition: GLOBAL_KEY if naive else partition for partition in PARTITIONS},
        "capabilities": {"event_dedupe": False, "materialised_top": False},
        "limits": {"k": [1, 1000], "window": [1, 50]},
        "redis": {
            "server": "valkey",
            "version": "9.1.2",
            "redis_version": "7.2.4",
            "cluster": False,
            "redis_py": "8.1.0",
        },
        "service": {"version": "0.1.0", "python": "3.11.7", "workers": 1},
    }


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
    path.write_text(json.dumps(content, indent=1) + "\n")
