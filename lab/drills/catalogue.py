"""All drills by name: what each does, its fault, and what it needs."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

import psutil

from lab.audit.invariants import REDIS_RESTARTED, SERVICE_CHANGED
from lab.cli.checks import beyond_memory, clashing_ports, unprepared
from lab.cli.problems import Problems
from lab.cli.variables import Variables
from lab.drills.disk_full import DiskFull
from lab.drills.drill import Drill
from lab.drills.rank_storm import RankStorm, missing_storm, with_storm
from lab.drills.redis_freeze import RedisFreeze
from lab.drills.redis_kill import RedisKill
from lab.drills.redis_restore import RedisRestore
from lab.drills.service_kill import ServiceKill
from lab.drills.stale_top import SHORTEST_SECONDS, StaleTop, with_materialised_top
from lab.drills.whole_run import WholeRun
from workload.scenario import Scenario

_AGAIN: Final = WholeRun("resent_share", "sent again")
_OVERTAKEN: Final = WholeRun("overtaken_share", "overtaken by newer ones")

_ALL: Final = (
    Drill(
        "redis-kill",
        "Redis is killed (kill -9) and starts again, empty.",
        lambda _: RedisKill(),
        ends_counters=REDIS_RESTARTED,
    ),
    Drill(
        "redis-freeze",
        "Redis stands still for 3 s (SIGSTOP): it takes connections and answers nothing.",
        lambda _: RedisFreeze(),
        shortest_seconds=8,
    ),
    Drill(
        "redis-restore",
        "Redis is killed and starts again from an older dump, which it takes for the present.",
        lambda _: RedisRestore(),
        ends_counters=REDIS_RESTARTED,
    ),
    Drill(
        "service-kill",
        "The service is killed (kill -9) and starts again on the same ledger.",
        lambda _: ServiceKill(),
        ends_counters=SERVICE_CHANGED,
    ),
    Drill(
        "duplicates",
        "A share of the submits send an earlier event again, half of them together with it.",
        lambda _: _AGAIN,
        missing=_AGAIN.missing,
    ),
    Drill(
        "out-of-order",
        "A share of the submits come after a newer event of their player, or together with it.",
        lambda _: _OVERTAKEN,
        missing=_OVERTAKEN.missing,
    ),
    Drill(
        "disk-full",
        "No file of the service may grow: the ledger takes nothing, and reads go on.",
        lambda variables: DiskFull(is_lifted=variables.lifted),
    ),
    Drill(
        "stale-top",
        "The aggregator of the materialised top K is held for 10 s: answers go on and grow old.",
        lambda _: StaleTop(),
        shortest_seconds=SHORTEST_SECONDS,
        adapted=with_materialised_top,
    ),
    Drill(
        "rank-storm",
        "Exact ranks are asked for in waves, at ten times their limit unless SET says otherwise.",
        lambda _: RankStorm(),
        shortest_seconds=12,
        adapted=with_storm,
        missing=missing_storm,
    ),
)
DRILLS: Final[Mapping[str, Drill]] = MappingProxyType({drill.name: drill for drill in _ALL})


def no_drill(name: str | None) -> str:
    """A sentence about a name that is no drill's, or that is missing."""
    wrong = "DRILL names the drill" if name is None else f"DRILL={name} is no drill"
    return f"{wrong}: choose from {', '.join(DRILLS)}."


def drill_variables(variables: Variables, problems: Problems) -> Variables:
    """The variables of a drill: its own scenario, on a stack that the lab may break.

    A sentence is added for everything that a drill cannot do without.
    """
    problems.add(_not_ours(variables))
    drill = DRILLS.get(variables.drill or "")
    if drill is None:
        problems.add([no_drill(variables.drill)])
        return variables
    problems.add(_not_this_drill(drill, variables))
    with problems.collected():
        variables = drill.adapted(variables)
    return variables.model_copy(update={"scenario": drill.name, "stack": "embedded"})


def missing_fault(variables: Variables, scenario: Scenario) -> Iterator[str]:
    """Sentences about a load in which nothing goes wrong, or more than the fault.

    The first would prove nothing; of the second something cannot succeed.
    """
    drill = DRILLS.get(variables.drill or "")
    if drill is None:
        return
    missing = drill.missing(scenario, variables.duration)
    yield from filter(None, [missing, _unwatched(scenario)])
    yield from unprepared(scenario)
    yield from beyond_memory(variables, scenario)
    yield from clashing_ports(variables)


def _unwatched(scenario: Scenario) -> str | None:
    """A sentence about a load in which nobody would see what a fault does."""
    rates = scenario.rates()
    if rates.get("submit") and (rates.get("top") or rates.get("around")):
        return None
    return (
        "A drill looks at writes and at ranked reads: leave update_fraction_per_second and "
        "leaderboard_reads_per_player_per_minute above 0."
    )


def _not_ours(variables: Variables) -> list[str]:
    """Sentences about what no drill breaks, and what none does without."""
    problems = []
    if variables.target:
        problems.append(
            "TARGET names a service that is not ours, which no drill breaks: leave it out."
        )
    if variables.redis_url:
        problems.append("REDIS_URL names a server of yours, which no drill breaks: leave it out.")
    if variables.stack == "compose":
        problems.append("A drill breaks a stack of its own: leave out STACK=compose.")
    if variables.ledger == "none":
        problems.append("A drill proves that the ledger loses nothing: leave out LEDGER=none.")
    return problems


def _not_this_drill(drill: Drill, variables: Variables) -> list[str]:
    """Sentences about what this drill cannot do."""
    problems = []
    if variables.duration < drill.shortest_seconds:
        problems.append(
            f"DURATION={variables.duration}s is too short for fault and recovery: "
            f"this drill needs {drill.shortest_seconds}s."
        )
    if "scenario" in variables.model_fields_set:
        problems.append(
            f"Each drill has its own scenario, {drill.name}.toml: leave out SCENARIO, "
            "or change an assumption with SET."
        )
    if "lifted" in variables.model_fields_set and drill.name != "disk-full":
        problems.append("LIFTED is about disk-full alone: leave it out.")
    if drill.name == "disk-full" and not hasattr(psutil, "RLIMIT_FSIZE"):
        problems.append(
            "DRILL=disk-full limits a process that runs, which only Linux lets anybody."
        )
    return problems
