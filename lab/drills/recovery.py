"""When a fault was over, and when everything was as before. Pure functions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from lab.drills.backlog import Sample
from lab.drills.fault import Span
from lab.drills.observation import NO_ANSWER
from lab.drills.request_rows import Request

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
