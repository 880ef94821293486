"""What one process counted, or all of them together: every field can be added up."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from locustfiles.http.connection import FailureKind
from locustfiles.recording.buckets import HIGHEST_US, Counts, add_counts, bucket_of, clamped
from locustfiles.schedule.clock import MICROSECONDS


@dataclass(slots=True)
class SecondCounts:
    """One second of one operation.

    Answers are counted by the second of their arrival in `completed` and `achieved`, and by the
    second in which their request was due in all other fields.
    """

    offered: int = 0
    sent: int = 0
    dropped: int = 0
    ok: int = 0
    failed: int = 0
    answered: int = 0
    completed: int = 0
    achieved: int = 0
    response_us: Counts = field(default_factory=dict)

    def counters(self) -> list[int]:
        """All counters, in the order of the fields."""
        return [
            self.offered, self.sent, self.dropped, self.ok, self.failed,
            self.answered, self.completed, self.achieved,
        ]  # fmt: skip

    def add(self, counters: list[int], response_us: Counts) -> None:
        """Add the counters and buckets that another process has of the same second."""
        (
            self.offered, self.sent, self.dropped, self.ok, self.failed,
            self.answered, self.completed, self.achieved,
        ) = map(sum, zip(self.counters(), counters, strict=True))  # fmt: skip
        add_counts(self.response_us, response_us)


class Timing(NamedTuple):
    """The times of one attempt, on the schedule's clock."""

    intended_us: int
    begun_us: int
    ended_us: int


@dataclass(slots=True)
class FailureSpan:
    """How often one kind of failure came, by the seconds of the intended starts."""

    count: int
    first_second: int
    last_second: int

    def add(self, second: int, count: int) -> None:
        """Add the failures of another second."""
        self.count += count
        self.first_second = min(self.first_second, second)
        self.last_second = max(self.last_second, second)


@dataclass(slots=True)
class SettledSums:
    """The sums of a phase's settled seconds; their response times are in the histograms."""

    counts: SecondCounts = field(default_factory=SecondCounts)
    failures: dict[str, FailureSpan] = field(default_factory=dict)

    def add_failures(self, kind: str, second: int, count: int) -> None:
        """Add the failures of one kind that belong to a second."""
        if kind in self.failures:
            self.failures[kind].add(second, count)
        else:
            self.failures[kind] = FailureSpan(count, second, second)


@dataclass(slots=True)
class OperationRecord:
    """Everything counted about one operation; histograms are of the measured phase alone."""

    seconds: dict[int, SecondCounts] = field(default_factory=lambda: defaultdict(SecondCounts))
    warmup: SettledSums = field(default_factory=SettledSums)
    measured: SettledSums = field(default_factory=SettledSums)
    response_us: Counts = field(default_factory=dict)
    service_us: Counts = field(default_factory=dict)
    failed_response_us: Counts = field(default_factory=dict)
    age_us: Counts = field(default_factory=dict)
    # kind → second of the intended start → count
    failures: dict[str, Counts] = field(default_factory=lambda: defaultdict(dict))
    statuses: dict[str, int] = field(default_factory=dict)
    overflow: int = 0
    unknown: int = 0
    reconnects: int = 0

    def count_success(
        self, second: int, timing: Timing, status: str | None, *, measured: bool
    ) -> None:
        """Count an answer that is what its operation promises."""
        counts = self.seconds[second]
        counts.sent += 1
        counts.ok += 1
        counts.answered += 1
        ended_in = self.seconds[timing.ended_us // MICROSECONDS]
        ended_in.completed += 1
        ended_in.achieved += 1
        bucket = self._bucket(timing.ended_us - timing.intended_us)
        _count(counts.response_us, bucket)
        if measured:
            _count(self.response_us, bucket)
            _count(self.service_us, self._bucket(timing.ended_us - timing.begun_us))
        if status is not None:
            self.statuses[status] = self.statuses.get(status, 0) + 1

    def count_age(self, age_us: int) -> None:
        """Count the age that an answer of the measured phase states."""
        _count(self.age_us, bucket_of(clamped(age_us)))

    def count_failure(
        self,
        second: int,
        timing: Timing,
        kind: FailureKind,
        *,
        answered: bool,
        unknown: bool,
        measured: bool,
    ) -> None:
        """Count a failure; a request that got a whole answer is completed all the same."""
        counts = self.seconds[second]
        counts.sent += 1
        counts.failed += 1
        self.unknown += unknown
        if answered:
            counts.answered += 1
            self.seconds[timing.ended_us // MICROSECONDS].completed += 1
        if measured:
            _count(self.failed_response_us, self._bucket(timing.ended_us - timing.intended_us))
        _count(self.failures[kind], second)

    def seconds_before(self, second: int) -> Iterator[tuple[int, SecondCounts]]:
        """The counts of earlier seconds, in order."""
        yield from sorted((at, counts) for at, counts in self.seconds.items() if at < second)

    def settle(self, second: int) -> None:
        """Add every earlier second to the sums of its phase, and forget it."""
        for at, counts in list(self.seconds_before(second)):
            self._sums_of(at).counts.add(counts.counters(), {})
            del self.seconds[at]
        for kind, by_second in self.failures.items():
            for at in [one for one in by_second if one < second]:
                self._sums_of(at).add_failures(kind, at, by_second.pop(at))

    def _sums_of(self, second: int) -> SettledSums:
        return self.warmup if second < 0 else self.measured

    def _bucket(self, microseconds: int) -> int:
        self.overflow += microseconds > HIGHEST_US
        return bucket_of(clamped(microseconds))

    def as_message(self) -> dict[str, Any]:
        """The record in the plain types that a message between processes can hold."""
        return {
            "seconds": {
                second: [counts.counters(), counts.response_us]
                for second, counts in self.seconds.items()
            },
            "response_us": self.response_us,
            "service_us": self.service_us,
            "failed_response_us": self.failed_response_us,
            "age_us": self.age_us,
            "failures": dict(self.failures),
            "statuses": self.statuses,
            "totals": [self.overflow, self.unknown, self.reconnects],
        }

    def add_message(self, message: dict[str, Any]) -> None:
        """Add the record that a message holds."""
        for second, (counters, response_us) in message["seconds"].items():
            self.seconds[second].add(counters, response_us)
        add_counts(self.response_us, message["response_us"])
        add_counts(self.service_us, message["service_us"])
        add_counts(self.failed_response_us, message["failed_response_us"])
        add_counts(self.age_us, message["age_us"])
        for kind, seconds in message["failures"].items():
            add_counts(self.failures[kind], seconds)
        for status, count in message["statuses"].items():
            self.statuses[status] = self.statuses.get(status, 0) + count
        overflow, unknown, reconnects = message["totals"]
        self.overflow += overflow
        self.unknown += unknown
        self.reconnects += reconnects


def _count(counts: Counts, bucket: int) -> None:
    counts[bucket] = counts.get(bucket, 0) + 1


@dataclass(slots=True)
class Recording:
    """The records of all operations, and how late the scheduler was in the measured phase."""

    operations: dict[str, OperationRecord]
    lateness_us: Counts = field(default_factory=dict)

    @classmethod
    def of(cls, operations: Iterable[str]) -> "Recording":
        """An empty recording of some operations; each has a record, also when nothing is sent."""
        return cls({name: OperationRecord() for name in operations})

    def as_message(self) -> dict[str, Any]:
        """The recording in the plain types that a message between processes can hold."""
        return {
            "operations": {name: one.as_message() for name, one in self.operations.items()},
            "lateness_us": self.lateness_us,
        }

    def add_message(self, message: dict[str, Any]) -> None:
        """Add the recording that a message holds."""
        for name, record in message["operations"].items():
            self.operations[name].add_message(record)
        add_counts(self.lateness_us, message["lateness_us"])
