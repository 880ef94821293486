"""What a run counted so far, in the few numbers that are watched while it goes on."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from locustfiles.failure import FAILURE_KINDS

OUTCOMES: Final = ("ok", *FAILURE_KINDS)
LATENESS_BOUNDS_SECONDS: Final = (
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
)  # fmt: skip
_BOUNDS_US: Final = [round(bound * 1_000_000) for bound in LATENESS_BOUNDS_SECONDS]


class LiveCounts:
    """Adds up what the workers hand over, as the recording does, but without its seconds.

    So a scrape in the last minute of a day costs what it costs in the first.
    """

    def __init__(self, operations: Sequence[str]) -> None:
        self.offered = Counter(dict.fromkeys(operations, 0))
        self.dropped = Counter(dict.fromkeys(operations, 0))
        self.outcomes = Counter({(name, one): 0 for name in operations for one in OUTCOMES})
        # one more than the bounds: what is later than all of them
        self.lateness = [0] * (len(LATENESS_BOUNDS_SECONDS) + 1)
        self.lateness_us = 0
        # from and to, by the wall clock; None until the load starts
        self.measured: tuple[float, float] | None = None
        self._now: dict[str, dict[str, Any]] = {}

    @property
    def in_flight(self) -> int:
        """Requests that were sent and not answered yet, when their senders last said so."""
        return sum(now["in_flight"] for now in self._now.values())

    @property
    def cpu_ratio(self) -> float:
        """What the busiest sender used of a core in the last second."""
        return max((now["cpu_ratio"] for now in self._now.values()), default=0.0)

    def add(self, sender: str, message: dict[str, Any]) -> None:
        """Add what a sender hands over; its last message says nothing of `now`."""
        if "now" in message:
            self._now[sender] = message["now"]
        else:
            self._now.pop(sender, None)
        for name, record in message["recording"]["operations"].items():
            self._add_operation(name, record)
        for bucket, count in message["recording"]["lateness_us"].items():
            self.lateness[bisect_left(_BOUNDS_US, bucket)] += count
            self.lateness_us += bucket * count

    def _add_operation(self, name: str, record: dict[str, Any]) -> None:
        for counters, _ in record["cells"].values():
            offered, _sent, dropped, ok, *_ = counters
            self.offered[name] += offered
            self.dropped[name] += dropped
            self.outcomes[name, "ok"] += ok
        for kind, seconds in record["failures"].items():
            self.outcomes[name, kind] += sum(seconds.values())
