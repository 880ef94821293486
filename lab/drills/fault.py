"""What a drill does to the stack while the load runs; one file for each kind of fault."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from lab.audit.invariants import Invariant
from lab.audit.ledger_file import LedgerFile
from lab.drills.request_rows import Request
from lab.drills.run_clock import RunClock
from lab.errors import PartFailed
from lab.grafana import RunMarks
from lab.stack.embedded import EmbeddedStack
from lab.stack.process import Part
from workload.load import LoadSettings


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
        load: LoadSettings,
    ) -> None:
        self.stack = stack
        self.service = stack.service
        self.load = load
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
        _say(f"drill     second {begun:.1f}: {what}")
        try:
            yield
        finally:
            ended = self.clock.now_seconds()
            self._spans.append(Span(what, round(begun, 3), round(ended, 3)))
            self._marks.fault(what, self.clock.epoch(begun), self.clock.epoch(ended))


def _say(sentence: str) -> None:
    """Say it where plain lines are shown; a panel in a terminal would be torn by it."""
    if sys.stdout is not None and not sys.stdout.isatty():
        with suppress(OSError):  # nobody listens any more, which is no reason to stop
            print(sentence, flush=True)


@dataclass(frozen=True)
class Findings:
    """What a drill found beside what all of them look at.

    Sentences for the report, lines for the audit, the second in which its own recovery was seen,
    and the age of the top K by second.
    """

    sentences: Sequence[str] = ()
    invariants: Sequence[Invariant] = ()
    recovered_at: float | None = None
    top_ages: Mapping[int, float] = field(default_factory=dict)


class Fault(Protocol):
    """Something that goes wrong during the measured phase."""

    def strike(self, scene: Scene) -> None:
        """Wait for the time, do it, and undo what can be undone.

        Raises:
            RunOver: the run ended before it was done.
        """
        ...

    def findings(self, requests: Sequence[Request]) -> Findings:
        """Tell what only this drill looks at, once the run is over."""
        ...


class PlainFault:
    """A fault that is judged by what all drills look at."""

    def findings(self, requests: Sequence[Request]) -> Findings:
        """Nothing of its own."""
        del requests
        return Findings()
