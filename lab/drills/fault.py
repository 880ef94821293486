"""What a drill does to the stack while the load runs; one file for each kind of fault."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from lab.drills.run_clock import RunClock
from lab.embedded_stack import EmbeddedStack
from lab.errors import PartFailed
from lab.ledger_file import LedgerFile
from lab.parts import Part
from lab.run_marks import RunMarks


@dataclass(frozen=True)
class Span:
    """A fault as it really was, in seconds of the measured phase."""

    what: str
    from_second: float
    to_second: float


class Scene:
    """The running stack as a fault sees it, and the clock of the run; notes what happened when."""

    def __init__(
        self,
        stack: EmbeddedStack,
        ledger: LedgerFile,
        clock: RunClock,
        marks: RunMarks,
        spans: list[Span],
    ) -> None:
        self.stack = stack
        self.service = stack.service
        self.ledger = ledger
        self.clock = clock
        self._spans = spans
        self._marks = marks

    @property
    def redis(self) -> Part:
        """The Redis server's process.

        Raises:
            PartFailed: the server is not one that the lab started.
        """
        if self.stack.redis is None:
            raise PartFailed("The Redis server is not ours to break.")
        return self.stack.redis

    @contextmanager
    def fault(self, what: str) -> Iterator[None]:
        """Note the block as a fault, also when it is cut short."""
        begun = self.clock.now_seconds()
        try:
            yield
        finally:
            ended = self.clock.now_seconds()
            self._spans.append(Span(what, round(begun, 3), round(ended, 3)))
            self._marks.fault(what, self.clock.epoch(begun), self.clock.epoch(ended))


class Fault(Protocol):
    """Something that goes wrong during the measured phase."""

    def strike(self, scene: Scene) -> None:
        """Wait for the time, do it, and undo what can be undone.

        Raises:
            RunOver: the run ended before it was done.
        """
        ...
