"""The inputs of a run as a reader checks them: name, value, and where it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reports.rundir.facts import Facts
from reports.wording import plain

_GIB = 2**30
# They make the rates of the modelled mix, and nothing of a scenario that gives its own.
_OF_THE_MIX = (
    "update_fraction_per_second",
    "leaderboard_reads_per_player_per_minute",
    "top_k_share",
    "around_me_share",
)


@dataclass(frozen=True)
class Input:
    """One input; `note` says whether it is a requirement or an assumption."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Group:
    """Inputs that belong together."""

    title: str
    inputs: tuple[Input, ...]


def input_groups(facts: Facts) -> list[Group]:
    """Everything that would have to be the same for the same result."""
    groups = [
        Group("Run", tuple(_run(facts))),
        Group(
            "Traffic model" if facts.model.modelled_mix else "Players and partitions",
            tuple(_assumptions(facts)),
        ),
        Group("Load generator", _named(facts.load)),
        Group("Objectives", _named(_flat(facts.objectives))),
        Group("Service", tuple(_service(facts))),
        Group("Machine", tuple(_machine(facts.host))),
        Group("Versions", _named(facts.versions)),
    ]
    return [group for group in groups if group.inputs]


def _run(facts: Facts) -> list[Input]:
    model = facts.model
    dirty = " with changes" if facts.git_dirty else ""
    revision = f"{facts.git_revision[:12]}{dirty}" if facts.git_revision else None
    found = {
        "scenario": facts.scenario,
        "mode": facts.mode if model.needs_boards else None,
        "scale": _scale(facts),
        "seed": None if facts.seed is None else str(facts.seed),
        "players": facts.players if model.needs_boards else _unloaded(facts.players),
        "popularity": facts.popularity,
        "measured phase": f"{facts.duration_seconds:g} s",
        "warm-up": None if facts.warmup_seconds is None else f"{facts.warmup_seconds:g} s",
        "load workers": facts.workers,
        "started": facts.started_at,
        "measured from": facts.measured_from,
        "measured to": facts.measured_to,
        "ended": facts.ended_at,
        "revision": revision,
    }
    return [Input(name, _text(value)) for name, value in found.items() if value is not None]


def _scale(facts: Facts) -> str:
    words = facts.scale_words
    return (
        f"{plain(facts.scale)} ({words})"
        if facts.model.modelled_mix
        else words.removeprefix("scale ")
    )


def _unloaded(players: int | None) -> str | None:
    return None if players is None else f"{_text(players)}, none loaded on a board"


def _assumptions(facts: Facts) -> list[Input]:
    model = facts.model
    left_out = model.unused if model.modelled_mix else (*model.unused, *_OF_THE_MIX)
    inputs = [
        Input(name, _text(value), "requirement" if name in model.fixed else "assumption")
        for name, value in model.assumptions.items()
        if name not in left_out
    ]
    derived = model.derived if model.modelled_mix else {}
    return inputs + [Input(name, _text(value), "follows") for name, value in derived.items()]


def _service(facts: Facts) -> list[Input]:
    service = facts.service
    if service is None:
        return []
    redis = service.redis or {}
    found = {
        "address": facts.target,
        "stack": facts.stack_words,
        "ledger": service.ledger,
        "ledger sync": service.ledger_sync,
        **{name: one.words for name, one in facts.read_settings.items()},
        "keys": len(service.keys) or None,
        "server": " ".join(str(redis[name]) for name in ("server", "version") if redis.get(name))
        or None,
        "cluster": redis.get("cluster"),
        **{f"service {name}": value for name, value in (service.service or {}).items()},
    }
    return [Input(name, _text(value)) for name, value in found.items() if value is not None]


def _machine(host: Mapping[str, Any]) -> list[Input]:
    shown = dict(host)
    memory = shown.pop("memory_bytes", None)
    if isinstance(memory, int):
        shown["memory"] = f"{memory / _GIB:.1f} GiB"
    return list(_named(shown))


def _named(values: Mapping[str, Any]) -> tuple[Input, ...]:
    return tuple(Input(name, _text(value)) for name, value in values.items() if value is not None)


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        flat |= _flat(value, f"{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) > 9999 else str(value)  # noqa: PLR2004  (as in prose)
    if isinstance(value, float):
        return f"{value:,g}" if value < 10**6 else f"{value:,.0f}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
