"""What the clients saw of a fault, from the log of their requests. Pure functions."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import floor
from typing import Any

from lab.drills.backlog import Sample
from lab.drills.request_rows import Request

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
