"""The schedule's clock, and instants as text.

The clock counts microseconds since second 0, the start of the measured phase.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

MICROSECONDS: Final = 1_000_000


@dataclass(frozen=True)
class ScheduleClock:
    """Reads the schedule's time; before second 0 it is negative.

    It runs on the monotonic clock, so a step of the wall clock during a run changes nothing.
    """

    zero_seconds: float

    @classmethod
    def with_second_zero_at(cls, epoch_seconds: float) -> "ScheduleClock":
        """Make a clock from the one instant that all processes of a run agree on."""
        return cls(time.perf_counter() + (epoch_seconds - time.time()))

    def now_us(self) -> int:
        """Microseconds since second 0."""
        return int((time.perf_counter() - self.zero_seconds) * MICROSECONDS)

    def now_seconds(self) -> float:
        """Seconds since second 0."""
        return time.perf_counter() - self.zero_seconds


def timestamp(epoch_seconds: float) -> str:
    """An instant in RFC 3339, UTC, with milliseconds."""
    instant = datetime.fromtimestamp(epoch_seconds, UTC)
    return instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
