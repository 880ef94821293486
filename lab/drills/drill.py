"""A drill: its name, what it does in a sentence, and the fault."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.cli.variables import Variables
from lab.drills.fault import Fault
from workload.scenario import Scenario


def as_they_are(variables: Variables) -> Variables:
    """The variables unchanged."""
    return variables


def nothing_missing(scenario: Scenario, duration_seconds: int) -> str | None:
    """No load is without the fault of a drill that strikes the stack."""
    del scenario, duration_seconds
    return None


@dataclass(frozen=True)
class Drill:
    """One of the drills that can be asked for; the variables of make may shape its fault.

    The load before the fault, the fault and the recovery need some seconds; `adapted` changes
    what the service or the load must be told for this drill, and may raise UsageError.
    Where the fault is in the load, `missing` is a sentence about a load that has none.
    `ends_counters` is what the audit says of counters that the fault takes along.
    """

    name: str
    sentence: str
    fault_of: Callable[[Variables], Fault]
    shortest_seconds: int = 6
    adapted: Callable[[Variables], Variables] = as_they_are
    missing: Callable[[Scenario, int], str | None] = nothing_missing
    ends_counters: str | None = None
