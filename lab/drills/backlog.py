"""How far the ranking was behind the ledger, sampled while the load ran and until it caught up."""

import threading
import time
from dataclasses import dataclass

from lab.drills.run_clock import RunClock
from lab.errors import PartFailed
from lab.ledger_file import Backlog, LedgerFile
from lab.stopping import StopRequest

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
