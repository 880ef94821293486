"""`make drill`: what it needs, said before anything is started."""

from lab.drills.catalogue import find_drill
from lab.errors import UsageError
from lab.variables import Variables


def drill_variables(variables: Variables) -> Variables:
    """The variables of a drill: its own scenario, on a stack that the lab may break.

    Raises:
        UsageError: with everything that a drill cannot do without.
    """
    drill = find_drill(variables.drill)
    problems = []
    if variables.target:
        problems.append("TARGET names a service that is not ours, which no drill breaks.")
    if variables.redis_url:
        problems.append("REDIS_URL names a server of yours, which no drill breaks: leave it out.")
    if variables.stack == "compose":
        problems.append("A drill breaks a stack of its own: leave out STACK=compose.")
    if variables.ledger == "none":
        problems.append("A drill proves that the ledger loses nothing: leave out LEDGER=none.")
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
    if problems:
        raise UsageError(*problems)
    adapted = drill.adapted(variables)
    return adapted.model_copy(update={"scenario": drill.name, "stack": "embedded"})
