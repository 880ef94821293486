"""A drill: its name, what it does in a sentence, and the fault."""

from dataclasses import dataclass

from lab.drills.fault import Fault

# The load before the fault, the fault, and the recovery need some seconds each.
SHORTEST_SECONDS = 8


@dataclass(frozen=True)
class Drill:
    """One of the drills that can be asked for."""

    name: str
    sentence: str
    fault: Fault
