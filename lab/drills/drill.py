"""A drill: its name, what it does in a sentence, and the fault."""

from collections.abc import Callable
from dataclasses import dataclass

from lab.drills.fault import Fault
from lab.variables import Variables

# The load before the fault, the fault, and the recovery need some seconds each.
SHORTEST_SECONDS = 8


@dataclass(frozen=True)
class Drill:
    """One of the drills that can be asked for; variables of make may shape its fault."""

    name: str
    sentence: str
    fault_of: Callable[[Variables], Fault]
