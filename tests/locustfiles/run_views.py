"""Views of made-up runs for the tests of what is shown of a run."""

from dataclasses import dataclass, replace
from typing import Any

from load_plans import PLAN

from locustfiles.http.connection import FailureKind
from locustfiles.live.run_view import RunView
from locustfiles.recording.recording import Recording, Timing
from locustfiles.run.loading import Loading
from locustfiles.schedule.clock import ScheduleClock
from workload.operations import MODELLED


@dataclass(frozen=True)
class StoppedClock(ScheduleClock):
    """A clock of the schedule that stands at one second."""

    at_second: float = 0.0

    def now_seconds(self) -> float:
        """Where it stands."""
        return self.at_second


def clock_at(second: float) -> ScheduleClock:
    """A clock that stands there."""
    return StoppedClock(0.0, at_second=second)


def make_view(**changes: object) -> RunView:
    """The view of a run of five seconds of warm-up and sixty measured ones, players loaded."""
    facts: dict[str, Any] = {
        "scenario": "peak",
        "mode": "partitioned",
        "keys": ("lb:a", "lb:b"),
        "partitions": 2,
        "plan": replace(PLAN, warmup_seconds=5, duration_seconds=60),
        "loading": Loading(12_000, ok=12_000),
        "recording": Recording.of(MODELLED),
        "measured_hits": dict,
        "why_stopping": lambda: None,
    }
    return RunView(**(facts | changes))


def answer(recording: Recording, operation: str, second: int, response_us: int) -> None:
    """Record an offered request of a second and its answer."""
    record = recording.operations[operation]
    record.seconds[second].offered += 1
    intended_us = second * 1_000_000
    timing = Timing(intended_us, intended_us + 10, intended_us + response_us)
    record.count_success(second, timing, None, measured=second >= 0)


def fail(recording: Recording, operation: str, second: int, kind: FailureKind) -> None:
    """Record an offered request of a second and its failure."""
    record = recording.operations[operation]
    record.seconds[second].offered += 1
    intended_us = second * 1_000_000
    timing = Timing(intended_us, intended_us + 10, intended_us + 500)
    record.count_failure(second, timing, kind, answered=False, unknown=True, measured=second >= 0)


def drop(recording: Recording, operation: str, second: int) -> None:
    """Record an offered request of a second that was dropped."""
    one = recording.operations[operation].seconds[second]
    one.offered += 1
    one.dropped += 1
