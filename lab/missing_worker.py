"""Tells of a worker of the generator that ended before the run began."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.parts import Part


@dataclass(frozen=True)
class MissingWorker:
    """The master would wait for such a worker in vain.

    One that ends later is the master's to miss, which by then keeps the run's record.
    """

    workers: Sequence[Part]
    record: Path

    def failure(self) -> str | None:
        """A sentence about the worker, or None."""
        if self.record.exists():
            return None
        return next(filter(None, (worker.failure() for worker in self.workers)), None)
