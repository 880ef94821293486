"""What the clients saw of a fault, and when everything was as before. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, inf
from typing import Any

from lab.drills.fault import Span
from lab.drills.request_rows import Request
from lab.drills.run_clock import Sample

WRITES = frozenset({"submit", "submit_batch"})
NO_ANSWER = frozenset(
    {
        *("http_5xx", "timeout", "refused", "reset", "bad_body", "other"),
        *("redis_readonly", "redis_noperm", "redis_oom", "redis_refused"),
    }
)
_WRITE_KINDS = {
    "applied": "writes_applied",
    "durable-only": "writes_durable_only",
    "duplicate": "writes_settled",
    "stale": "writes_settled",
}
_READ_KINDS = {"ok": "reads_fresh", "recovering": "reads_recovering"}
_KINDS = (*_WRITE_KINDS.values(), "writes_failed", *_READ_KINDS.values(), "reads_failed")
# A ranked read arrives every 10 ms at the default scale: a tenth of a second holds several.
_SLOTS_PER_SECOND = 10


def seconds_recovering(requests: Iterable[Request]) -> float:
    """For how long ranked reads said `recovering`, in tenths of a second that held one."""
    slots = {
        _slot(request.ended)
        for request in requests
        if request.ended is not None
        and request.operation not in WRITES
        and request.outcome == "recovering"
    }
    return len(slots) / _SLOTS_PER_SECOND


def seconds_unavailable(requests: Iterable[Request]) -> float:
    """For how long ranked reads were unavailable, in tenths of a second.

    One in which a read failed, or in which reads kept waiting and none was answered well.
    """
    failed: set[int] = set()
    waited: set[int] = set()
    good: set[int] = set()
    for request in requests:
        if request.operation in WRITES or request.begun is None or request.ended is None:
            continue
        first, last = _slot(request.begun), _slot(request.ended)
        (failed if request.outcome in NO_ANSWER else good).add(last)
        # In a healthy second some read is under way at every edge of a tenth.
        if request.ended - request.begun > 1 / _SLOTS_PER_SECOND:
            waited.update(range(first, last + 1))
    return len(failed | (waited - good)) / _SLOTS_PER_SECOND


def _slot(second: float) -> int:
    return floor(second * _SLOTS_PER_SECOND)


def longest_wait_ms(requests: Iterable[Request], since_second: float) -> float | None:
    """The longest any sent request waited for its answer, good or bad, from the send."""
    waits = [
        request.ended - request.begun
        for request in requests
        if request.ended is not None and request.begun is not None and request.ended >= since_second
    ]
    return round(1_000 * max(waits), 1) if waits else None


def outcomes(requests: Iterable[Request], *, writes: bool) -> dict[str, int]:
    """How many writes, or ranked reads, had which outcome; the most frequent ones first."""
    counts = Counter(one.outcome for one in requests if (one.operation in WRITES) == writes)
    return dict(counts.most_common())


def second_by_second(
    requests: Iterable[Request], samples: Iterable[Sample]
) -> list[dict[str, Any]]:
    """For each second of the measured phase what was answered, and the largest backlog."""
    answers: dict[int, Counter[str]] = defaultdict(Counter)
    for request in requests:
        if request.ended is not None and request.ended >= 0:
            answers[floor(request.ended)][_kind(request)] += 1
    backlog: dict[int, int] = {}
    for sample in samples:
        if sample.second >= 0:
            second = floor(sample.second)
            backlog[second] = max(sample.backlog.changes, backlog.get(second, 0))
    return [
        {"second": second, **dict.fromkeys(_KINDS, 0), **answers[second]}
        | {"backlog": backlog.get(second)}
        for second in sorted(answers.keys() | backlog.keys())
    ]


def _kind(request: Request) -> str:
    if request.operation in WRITES:
        return _WRITE_KINDS.get(request.outcome, "writes_failed")
    return _READ_KINDS.get(request.outcome, "reads_failed")


_TROUBLED = NO_ANSWER | {"durable-only", "recovering"}


@dataclass(frozen=True)
class Recovery:
    """When a fault was over, and when everything was as before; None: it never was."""

    over_at: float
    recovered_at: float | None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        return None if self.recovered_at is None else max(self.recovered_at - self.over_at, 0)


def recovery(
    spans: Sequence[Span],
    requests: Iterable[Request],
    samples: Sequence[Sample],
    seen_at: float | None = None,
) -> Recovery:
    """Recovered is when no more answer is missing or behind, and Redis has what it missed.

    What it missed are the changes that the ledger had when the fault was over. `seen_at` is when
    the drill saw a recovery of its own, infinity for never.
    """
    begun, over_at = spans[0].from_second, max(span.to_second for span in spans)
    troubled = [
        request.ended
        for request in requests
        if request.ended is not None and request.ended >= begun and request.outcome in _TROUBLED
    ]
    level_at = _level_at(over_at, samples)
    if level_at is None or seen_at == inf:
        return Recovery(over_at, None)
    recovered_at = max([level_at, *troubled, *([] if seen_at is None else [seen_at])])
    return Recovery(over_at, recovered_at)


def _level_at(over_at: float, samples: Sequence[Sample]) -> float | None:
    missed = max((one.backlog.last_change for one in samples if one.second <= over_at), default=0)
    for one in samples:
        first = one.backlog.first
        if one.second >= over_at and (first is None or first > missed):
            return one.second
    return None
