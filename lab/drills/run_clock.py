"""The clock of the run that a drill is beside, and how far the ranking was behind by it."""

import json
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lab.audit.ledger_file import Backlog, LedgerFile
from lab.errors import PartFailed
from lab.stopping import StopRequest

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


_EVERY_SECONDS = 0.2
_PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Sample:
    """The backlog at one instant."""

    second: float
    backlog: Backlog


@dataclass
class BacklogWatch:
    """Samples until it is told that the load is over, and then until nothing waits.

    Somebody who wants a stop is not kept waiting.
    """

    ledger: LedgerFile
    stop: StopRequest
    samples: list[Sample]

    def run(self, clock: RunClock, is_over: threading.Event) -> None:
        """Sample; a ledger that cannot be read at the moment is a sample less."""
        deadline = None
        while deadline is None or time.monotonic() < deadline:
            sample = self._sample(clock)
            if is_over.wait(_EVERY_SECONDS):
                deadline = deadline or time.monotonic() + _PATIENCE_SECONDS
                is_level = sample is not None and sample.backlog.first is None
                if is_level or self.stop.reason:
                    return
                time.sleep(_EVERY_SECONDS)

    def _sample(self, clock: RunClock) -> Sample | None:
        try:
            backlog = self.ledger.backlog()
        except PartFailed:
            return None
        self.samples.append(Sample(round(clock.now_seconds(), 3), backlog))
        return self.samples[-1]
