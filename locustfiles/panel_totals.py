"""Adds up the seconds of a phase, each only as often as it can still change.

A panel that added up a whole day for every frame would end up measuring itself.
"""

from dataclasses import dataclass
from typing import Final

from locustfiles.recording import OperationRecord

# Reports on a second come after it; the bound of its requests is known, theirs is not.
_REPORT_SECONDS: Final = 10


@dataclass
class Totals:
    """The counters of some seconds of one operation."""

    offered: int = 0
    dropped: int = 0
    ok: int = 0
    failed: int = 0
    achieved: int = 0

    @property
    def waiting(self) -> int:
        """The requests without an outcome."""
        return self.offered - self.dropped - self.ok - self.failed


class RunningTotals:
    """The totals of one operation over the seconds of a phase."""

    def __init__(self, seconds: range, longest_request_seconds: float) -> None:
        self._seconds = seconds
        self._settles_after = int(longest_request_seconds) + _REPORT_SECONDS
        self._settled = Totals()
        self._next = seconds.start

    def up_to(self, second: int, record: OperationRecord) -> Totals:
        """The totals as they are at the start of a second, the later ones' answers left out."""
        end = min(second, self._seconds.stop)
        while self._next < end - self._settles_after:
            self._settled = _plus(self._settled, record, self._next, self._next + 1)
            self._next += 1
        return _plus(self._settled, record, self._next, end)


def _plus(totals: Totals, record: OperationRecord, start: int, end: int) -> Totals:
    cells = [cell for at in range(start, end) if (cell := record.cells.get(at)) is not None]
    return Totals(
        totals.offered + sum(cell.offered for cell in cells),
        totals.dropped + sum(cell.dropped for cell in cells),
        totals.ok + sum(cell.ok for cell in cells),
        totals.failed + sum(cell.failed for cell in cells),
        totals.achieved + sum(cell.achieved for cell in cells),
    )
