"""What a load needs beside variables that are valid, said before anything is started."""

from collections import defaultdict

from lab.errors import UsageError
from lab.ports import clashing
from lab.variables import Variables
from workload.operations import OPERATIONS
from workload.scenario import Scenario

# Far above what one can send; those that wait for the deadline of ten seconds fill about 2 GB.
_MOST_PER_WORKER = 1_000_000


def require_sensible_load(variables: Variables, scenario: Scenario) -> None:
    """Make sure that a load measures what was asked for.

    Raises:
        UsageError: with everything that would be ignored, or fail for sure.
    """
    problems = misplaced_drill(variables)
    if "recovery_seconds" in scenario.objectives:
        problems.append(
            f"SCENARIO={scenario.name} is a drill's, in which something must be broken: "
            f"use `make drill DRILL={scenario.name}`."
        )
    kept = [name for name in scenario.rates() if OPERATIONS[name].needs_ledger]
    if variables.ledger == "none" and kept:
        problems.append(
            f"The scenario {scenario.name} sends {', '.join(kept)}, which a service without a "
            "ledger does not have: leave out LEDGER=none."
        )
    problems += [*unprepared(scenario), *beyond_memory(variables, scenario)]
    problems += clashing_ports(variables)
    if problems:
        raise UsageError(*problems)


def misplaced_drill(variables: Variables) -> list[str]:
    """A sentence when a command is given a drill that is not `make drill`."""
    if variables.drill is None:
        return []
    return [f"DRILL={variables.drill} belongs to `make drill`: nothing else breaks, leave it out."]


def beyond_memory(variables: Variables, scenario: Scenario) -> list[str]:
    """A sentence about more requests than the generator can keep waiting for their deadline."""
    wanted = sum(scenario.rates(variables.scale).values())
    if wanted <= _MOST_PER_WORKER * variables.workers:
        return []
    problem = (
        f"SCALE={variables.scale:g} of the scenario {scenario.name} is {float(wanted):,.0f} "
        f"requests a second, above the {_MOST_PER_WORKER:,} that a generator worker has memory "
        "for: lower SCALE or the rates, or raise WORKERS."
    )
    return [problem]


def clashing_ports(variables: Variables) -> list[str]:
    """A sentence for each port that two parts of a run would listen on."""
    wanted = {
        "SERVICE_PORT": 0 if variables.target else variables.service_port,
        "LOCUST_PORT": variables.locust_port if variables.locust_ui else 0,
        "LOADGEN_PORT": variables.loadgen_port,
    }
    return clashing(wanted)


def unprepared(scenario: Scenario) -> list[str]:
    """A sentence for each scenario whose operations another one would send unprepared."""
    names: dict[str, list[str]] = defaultdict(list)
    for name in scenario.rates():
        owner = OPERATIONS[name].prepared_by
        if owner not in {None, scenario.name}:
            names[str(owner)].append(name)
    return [
        f"{', '.join(sent)}: only SCENARIO={owner} prepares what they ask for."
        for owner, sent in names.items()
    ]
