"""A bounded line of callers in front of one thread."""

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from target_service.ledger.errors import LedgerBusy, LedgerClosed
from target_service.ledger.inbox import Promise

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Waiting(Generic[T]):
    """What somebody asks for, how much of the line it takes, and the promise of an answer."""

    wish: T
    weight: int = 1
    promise: Promise = field(default_factory=Promise.here)


class Line(Generic[T]):
    """First come, first served; what does not fit is refused at once, not kept waiting."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._changed = threading.Condition()
        self._waiting: deque[Waiting[T]] = deque()
        self._weight = 0
        self._closed: str | None = None

    def join(self, waiting: Waiting[T]) -> None:
        """Stand at the end; raises LedgerBusy when the line is too long."""
        with self._changed:
            if self._closed:
                raise LedgerClosed(self._closed)
            if self._waiting and self._weight + waiting.weight > self._longest:
                raise LedgerBusy(f"{self._weight:,} already wait for the ledger; try again.")
            self._waiting.append(waiting)
            self._weight += waiting.weight
            self._changed.notify()

    def take(self, at_most: int) -> list[Waiting[T]]:
        """Wait for the first ones, up to this weight; empty only when the line is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            taken: list[Waiting[T]] = []
            weight = 0
            while self._waiting and weight < at_most:
                taken.append(self._waiting.popleft())
                weight += taken[-1].weight
            self._weight -= weight
            return taken

    def close(self, reason: str) -> None:
        """Let nobody in any more; who is in the line stays to be served."""
        with self._changed:
            self._closed = self._closed or reason
            self._changed.notify_all()
