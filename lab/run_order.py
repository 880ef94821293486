"""What one run is to be: everything that is decided before its stack is started."""

from dataclasses import dataclass

from lab.cli.variables import Variables
from lab.drills.drill import Drill
from workload.scenario import Scenario


@dataclass(frozen=True)
class RunOrder:
    """The variables and the scenario, how many players, the command that repeats the run.

    With a drill, its fault strikes beside the load. `stack` is the kind that is loaded, once one
    was found or started.
    """

    variables: Variables
    scenario: Scenario
    players: int
    command: str
    drill: Drill | None = None
    stack: str | None = None
