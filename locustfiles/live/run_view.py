"""A run as the panel and the plain lines see it: its name, and what was counted so far."""

from collections.abc import Callable
from dataclasses import dataclass

from locustfiles.recording.key_counters import Hits
from locustfiles.recording.key_watch import KeyWatch
from locustfiles.recording.recording import Recording
from locustfiles.run.inputs import RunInputs
from locustfiles.run.loading import Loading
from locustfiles.run.plan import Plan
from locustfiles.schedule.clock import ScheduleClock


@dataclass
class RunView:
    """The few facts that name a run, and the parts of it that change while it is shown."""

    scenario: str
    mode: str
    # the Redis keys that serve the boards, and how many should share the load
    keys: tuple[str, ...]
    partitions: int
    plan: Plan
    loading: Loading
    recording: Recording
    measured_hits: Callable[[], Hits]
    why_stopping: Callable[[], str | None]
    # not there before the start; not set before the end
    clock: ScheduleClock | None = None
    ended: str | None = None


def view_of(
    inputs: RunInputs,
    loading: Loading,
    recording: Recording,
    keys: KeyWatch,
    why_stopping: Callable[[], str | None],
) -> RunView:
    """The view of a run that is about to begin."""
    boards = inputs.description.boards
    return RunView(
        scenario=inputs.scenario.name,
        mode=boards.mode,
        keys=tuple(dict.fromkeys(boards.boards[name] for name in boards.partitions)),
        partitions=len(boards.partitions),
        plan=inputs.plan,
        loading=loading,
        recording=recording,
        measured_hits=keys.measured_hits,
        why_stopping=why_stopping,
    )
