"""How hot each key is, from the service's counters at the start and at a later reading.

The words are those of keys.csv: a share is of members written for writes and of hits for reads,
heat is the share measured in fair shares, and a quantile is interpolated as Prometheus does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Final

_P99: Final = 0.99
# fewer samples than these say nothing of the slowest in a hundred
_LEAST_SAMPLES: Final = 100
_NOTHING: Final[dict[str, Any]] = {"hits": 0, "members_written": 0, "buckets": []}

Snapshot = dict[str, Any]


@dataclass(frozen=True)
class HotKey:
    """One key and op since the start; what cannot be told yet is None."""

    key: str
    op: str
    hits: int
    share: float | None
    fair_share: float
    p99_seconds: float | None

    @property
    def heat(self) -> float | None:
        """The share in fair shares."""
        return None if self.share is None else self.share / self.fair_share


def hot_keys(start: Snapshot, now: Snapshot, fair_share: float) -> list[HotKey]:
    """Every key and op that moved, writes first, the hottest on top."""
    found = [one for op in ("write", "read") for one in _of_op(op, start, now, fair_share)]
    return sorted(found, key=lambda one: (one.op == "read", -(one.share or 0.0), one.key))


def _of_op(op: str, start: Snapshot, now: Snapshot, fair_share: float) -> Iterator[HotKey]:
    pairs = {
        key: (start.get(key, {}).get(op, _NOTHING), counters[op])
        for key, counters in now.items()
        if op in counters
    }
    weigh = "members_written" if op == "write" else "hits"
    weights = {key: after[weigh] - before[weigh] for key, (before, after) in pairs.items()}
    total = sum(weights.values())
    for key, (before, after) in pairs.items():
        hits = after["hits"] - before["hits"]
        if hits > 0:
            share = weights[key] / total if total else None
            p99 = _quantile(_between(before["buckets"], after["buckets"]))
            yield HotKey(key, op, hits, share, fair_share, p99)


def _between(before: Sequence[Sequence[Any]], after: Sequence[Sequence[Any]]) -> dict[float, int]:
    earlier = dict(map(tuple, before))
    return {
        inf if bound == "+Inf" else float(bound): count - earlier.get(bound, 0)
        for bound, count in after
    }


def _quantile(buckets: dict[float, int]) -> float | None:
    total = max(buckets.values(), default=0)
    if total < _LEAST_SAMPLES:
        return None
    lower, below = 0.0, 0
    for bound, cumulative in sorted(buckets.items()):
        if cumulative >= _P99 * total:
            if bound == inf:
                break
            return lower + (bound - lower) * (_P99 * total - below) / (cumulative - below)
        lower, below = bound, cumulative
    return lower
