"""How much of the measured phase took place, and in which seconds a service stood still."""

from collections.abc import Sequence
from itertools import pairwise

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


STALLED_BELOW = 0.5
FEWEST_OFFERED = 8


def stalled_seconds(offered: Sequence[int], completed: Sequence[int]) -> list[int]:
    """Seconds with under half as many answers as requests; quiet seconds say nothing."""
    return [
        second
        for second, (asked, answered) in enumerate(zip(offered, completed, strict=True))
        if asked >= FEWEST_OFFERED and answered < STALLED_BELOW * asked
    ]


def runs_of(seconds: Sequence[int]) -> list[tuple[int, int]]:
    """Seconds in a row as their first and their last one."""
    if not seconds:
        return []
    breaks = [(before, now) for before, now in pairwise(seconds) if now != before + 1]
    starts = [seconds[0], *(now for _, now in breaks)]
    ends = [*(before for before, _ in breaks), seconds[-1]]
    return list(zip(starts, ends, strict=True))


def ranges(seconds: Sequence[int]) -> str:
    """Seconds as a reader lists them: 3, 7-9."""
    return ", ".join(
        f"{start}" if start == end else f"{start}\N{EN DASH}{end}"
        for start, end in runs_of(seconds)
    )
