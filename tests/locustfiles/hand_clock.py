"""A clock of the schedule for tests in which no time passes."""

import gevent

from locustfiles.schedule.clock import MICROSECONDS, ScheduleClock


class HandClock(ScheduleClock):
    """Goes only when it is moved; sleeping by it moves it."""

    at_seconds = 0.0

    def now_us(self) -> int:
        """Where it stands."""
        return round(self.at_seconds * MICROSECONDS)

    def now_seconds(self) -> float:
        """Where it stands."""
        return self.at_seconds

    def sleep(self, seconds: float) -> None:
        """Move it, and let other greenlets run."""
        self.at_seconds += seconds
        gevent.sleep(0)
