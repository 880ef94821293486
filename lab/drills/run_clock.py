"""The clock of a run, read from its record: second 0 is the start of the measured phase."""

import json
import threading
import time
from datetime import datetime
from pathlib import Path

_POLL_SECONDS = 0.05


class RunOver(Exception):
    """The load has ended, or never began: nothing is left to be done to it."""


class RunClock:
    """Counts seconds of the schedule; waiting ends with RunOver when the run does."""

    def __init__(
        self, second_zero_at: float, duration_seconds: int, is_over: threading.Event
    ) -> None:
        self.duration_seconds = duration_seconds
        self._second_zero_at = second_zero_at
        self._is_over = is_over

    def now_seconds(self) -> float:
        """The second of the schedule; before the measured phase it is below 0."""
        return time.time() - self._second_zero_at

    def epoch(self, second: float) -> float:
        """A second of the schedule as seconds since 1970."""
        return self._second_zero_at + second

    def wait_until(self, second: float) -> None:
        """Wait for a second of the schedule; raises RunOver when the run ends before."""
        if self._is_over.wait(max(second - self.now_seconds(), 0)):
            raise RunOver

    def wait_for_share(self, share: float) -> None:
        """Wait until so large a part of the measured phase is over."""
        self.wait_until(share * self.duration_seconds)

    def wait_for_end(self) -> None:
        """Wait until the load has ended, drain and all."""
        self._is_over.wait()

    def pause(self, seconds: float) -> None:
        """Wait a while; raises RunOver when the run ends meanwhile."""
        self.wait_until(self.now_seconds() + seconds)


def await_clock(folder: Path, duration_seconds: int, is_over: threading.Event) -> RunClock:
    """Wait until the load generator has written down when second 0 is.

    Raises:
        RunOver: the run ended before it said so.
    """
    while not is_over.wait(_POLL_SECONDS):
        try:
            stamp = json.loads((folder / "run.json").read_bytes())["measured_from"]
        except FileNotFoundError:
            continue
        if stamp is not None:
            second_zero_at = datetime.fromisoformat(stamp).timestamp()
            return RunClock(second_zero_at, duration_seconds, is_over)
    raise RunOver
