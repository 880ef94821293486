"""A drill: its name, what it does in a sentence, and the fault."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.drills.fault import Fault
from lab.variables import Variables


def as_they_are(variables: Variables) -> Variables:
    """The variables unchanged."""
    return variables


@dataclass(frozen=True)
class Drill:
    """One of the drills that can be asked for; the variables of make may shape its fault.

    The load before the fault, the fault and the recovery need some seconds; `adapted` changes
    what the service or the load must be told for this drill, and may raise UsageError.
    """

    name: str
    sentence: str
    fault_of: Callable[[Variables], Fault]
    shortest_seconds: int = 6
    adapted: Callable[[Variables], Variables] = as_they_are
