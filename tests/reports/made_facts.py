"""run.json made up from a plan."""

from typing import Any

from made_plan import GLOBAL_KEY, MODES, PARTITIONS, REGIONS, Plan


def run_json(plan: Plan) -> dict[str, Any]:
    """The raw run.json, before skew and verdict."""
    return {
        **_named(plan),
        **_timed(plan),
        "model": _model(plan),
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
        **_machine(),
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


def _named(plan: Plan) -> dict[str, Any]:
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
    }


def _timed(plan: Plan) -> dict[str, Any]:
    return {
        "duration_seconds": plan.duration_seconds,
        "warmup_seconds": 5,
        "workers": plan.workers,
        "started_at": "2026-09-06T12:00:00.000Z",
        "measured_from": "2026-09-06T12:00:09.000Z",
        "measured_to": None if plan.cut_at is not None else "2026-09-06T12:00:29.000Z",
        "ended_at": None if plan.ended == "unfinished" else "2026-09-06T12:00:31.250Z",
    }


def _model(plan: Plan) -> dict[str, Any]:
    return {
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
        "unused": [] if plan.popularity == "zipf" else ["zipf_exponent"],
        "derived": {
            "score_updates_per_second": 240_000,
            "leaderboard_reads_per_second": 100_000,
            "top_k_reads_per_second": 25_000,
            "around_me_reads_per_second": 75_000,
            "active_partition_count": 12,
            "average_players_per_partition": 1_000_000,
        },
        "operations": {
            name: {"model_per_second": rate, "per_second": round(rate * plan.scale, 9)}
            for name, rate in plan.rates.items()
        },
        "partition_shares": dict(zip(PARTITIONS, plan.shares, strict=True)),
    }


def _machine() -> dict[str, Any]:
    return {
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
