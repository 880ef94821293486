"""`make drill`: what it needs, said before anything is started."""

from collections.abc import Iterator

import psutil

from lab.drills.catalogue import DRILLS, no_drill
from lab.drills.drill import Drill
from lab.load_request import beyond_memory, clashing_ports, unprepared
from lab.problems import Problems
from lab.variables import Variables
from workload.scenario import Scenario


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
