"""Adds up the seconds of a phase: those that are over are a sum already."""

from dataclasses import dataclass

from locustfiles.recording import OperationRecord


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


def totals_of(record: OperationRecord, phase: range, second: int) -> Totals:
    """The totals of a phase as they are at the start of a second, later ones' answers left out."""
    settled = record.warmup if phase.start < 0 else record.measured
    shown = range(phase.start, min(second, phase.stop))
    cells = [settled.counts, *(cell for at, cell in record.cells.items() if at in shown)]
    return Totals(
        sum(cell.offered for cell in cells),
        sum(cell.dropped for cell in cells),
        sum(cell.ok for cell in cells),
        sum(cell.failed for cell in cells),
        sum(cell.achieved for cell in cells),
    )
