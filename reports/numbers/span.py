"""How much of the measured phase took place."""

from reports.rundir.facts import Facts
from reports.rundir.measurements import Measurements

COMPLETED = "completed"


def measured_seconds(facts: Facts, measurements: Measurements) -> int:
    """Whole seconds of the measured phase that were recorded: fewer when the run was cut off."""
    planned = int(facts.duration_seconds)
    if measurements.ended == COMPLETED:
        return planned
    recorded = (
        second.second
        for operation in measurements.operations.values()
        for second in operation.seconds
        if second.offered
    )
    return min(planned, max(measurements.settled.until, max(recorded, default=-1) + 1))
