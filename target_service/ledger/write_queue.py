"""The writer's queue: submissions and reads, and answers on the callers' event loops."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from target_service.ledger.errors import LedgerBusy, LedgerClosed
from target_service.ledger.events import Batch

_READS_AT_MOST = 1_000


@dataclass(slots=True, eq=False)
class Promise:
    """A future of one event loop that another thread completes."""

    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop

    @classmethod
    def here(cls) -> "Promise":
        """Make a promise on the running event loop."""
        loop = asyncio.get_running_loop()
        return cls(loop.create_future(), loop)


@dataclass(slots=True, eq=False)
class Submission:
    """A batch to store; a single event is a batch of one whose answer is unpacked."""

    batch: Batch
    single: bool
    promise: Promise = field(default_factory=Promise.here)


@dataclass(slots=True, eq=False)
class Read:
    """A read on the writer thread, which alone knows the newest standings."""

    query: Callable[[], object]
    promise: Promise = field(default_factory=Promise.here)


@dataclass(slots=True)
class Work:
    """What the writer does next; `closing` comes once nothing is left."""

    submissions: list[Submission]
    reads: list[Read]
    closing: bool

    def promises(self) -> list[Promise]:
        """The promises of all callers that wait for an answer."""
        return _promises(self.submissions, self.reads)


class WriteQueue:
    """A bounded queue to one writer; what does not fit is refused at once, not kept waiting."""

    def __init__(self, queue_events: int, group_events: int) -> None:
        self._queue_events = queue_events
        self._group_events = group_events
        self._changed = threading.Condition()
        self._submissions: deque[Submission] = deque()
        self._reads: deque[Read] = deque()
        self._waiting_events = 0
        self._closed: str | None = None

    def put(self, submission: Submission) -> None:
        """Queue a submission; raises LedgerBusy when it does not fit."""
        events = len(submission.batch)
        with self._changed:
            self._refuse_when_closed()
            if self._waiting_events and self._waiting_events + events > self._queue_events:
                raise LedgerBusy(f"{self._waiting_events:,} events already wait for the ledger.")
            self._waiting_events += events
            self._submissions.append(submission)
            self._changed.notify()

    def put_read(self, read: Read) -> None:
        """Queue a read; raises LedgerBusy when too many wait."""
        with self._changed:
            self._refuse_when_closed()
            if len(self._reads) >= _READS_AT_MOST:
                raise LedgerBusy(f"{len(self._reads):,} reads already wait for the ledger.")
            self._reads.append(read)
            self._changed.notify()

    def take(self, timeout_seconds: float) -> Work:
        """Wait for work and take the next group of it; empty when the time is up."""
        with self._changed:
            if not (self._submissions or self._reads or self._closed):
                self._changed.wait(timeout_seconds)
            submissions: list[Submission] = []
            events = 0
            while self._submissions and events < self._group_events:
                submissions.append(self._submissions.popleft())
                events += len(submissions[-1].batch)
            self._waiting_events -= events
            reads = list(self._reads)
            self._reads.clear()
            return Work(submissions, reads, self._closed is not None and not self._submissions)

    def drain(self) -> list[Promise]:
        """Take everything at once, to answer it with an error."""
        with self._changed:
            promises = _promises(self._submissions, self._reads)
            self._submissions.clear()
            self._reads.clear()
            return promises

    def close(self, reason: str) -> None:
        """Take nothing more; what is queued stays to be taken."""
        with self._changed:
            self._closed = self._closed or reason
            self._changed.notify()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise LedgerClosed(self._closed)


def _promises(submissions: Iterable[Submission], reads: Iterable[Read]) -> list[Promise]:
    return [one.promise for one in submissions] + [one.promise for one in reads]


def answer(answers: Iterable[tuple[Promise, object]]) -> None:
    """Complete promises, with one call per event loop; an exception is raised to the caller."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], object]]] = {}
    for promise, value in answers:
        by_loop.setdefault(promise.loop, []).append((promise.future, value))
    for loop, values in by_loop.items():
        # No caller waits on a loop that is closed.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, values)


def _settle(values: list[tuple[asyncio.Future[Any], object]]) -> None:
    for future, value in values:
        if future.done():
            continue
        if isinstance(value, BaseException):
            future.set_exception(value)
        else:
            future.set_result(value)
