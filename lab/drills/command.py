"""`make drill`: what it needs, said before anything is started."""

from lab.drills.catalogue import find_drill
from lab.drills.drill import Drill
from lab.errors import UsageError
from lab.load_request import beyond_memory, unprepared
from lab.variables import Variables
from workload.scenario import Scenario


def drill_variables(variables: Variables) -> Variables:
    """The variables of a drill: its own scenario, on a stack that the lab may break.

    Raises:
        UsageError: with everything that a drill cannot do without.
    """
    problems = _not_ours(variables)
    try:
        drill = find_drill(variables.drill)
    except UsageError as error:
        raise UsageError(*error.problems, *problems) from None
    problems += _not_this_drill(drill, variables)
    try:
        adapted = drill.adapted(variables)
    except UsageError as error:
        raise UsageError(*problems, *error.problems) from None
    if problems:
        raise UsageError(*problems)
    return adapted.model_copy(update={"scenario": drill.name, "stack": "embedded"})


def require_fault(variables: Variables, scenario: Scenario) -> None:
    """Make sure that something goes wrong in the load as it was changed, and only that.

    Raises:
        UsageError: nothing does, and a drill would prove nothing; or what is sent cannot succeed.
    """
    missing = find_drill(variables.drill).missing(scenario, variables.duration)
    problems = [
        *filter(None, [missing, _unwatched(scenario)]),
        *unprepared(scenario),
        *beyond_memory(variables, scenario),
    ]
    if problems:
        raise UsageError(*problems)


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
    return problems
