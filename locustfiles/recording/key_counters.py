"""The per-key counters on the service's metrics page, and how hot each key is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

from locustfiles.errors import readable

Hits = dict[str, dict[str, int]]
Snapshot = dict[str, Any]

_HITS: Final = "leaderboard_key_ops_total"
_WRITTEN: Final = "leaderboard_key_members_written_total"
_MEMBERS: Final = "leaderboard_board_members"
_SUM: Final = "leaderboard_key_op_duration_seconds_sum"
_BUCKET: Final = "leaderboard_key_op_duration_seconds_bucket"
# A key may hold braces itself, so the labels end at the last one.
_SAMPLE: Final = re.compile(
    rb"^(" + f"{_HITS}|{_WRITTEN}|{_MEMBERS}|{_SUM}|{_BUCKET}".encode() + rb")\{(.*)\} (\S+)",
    re.MULTILINE,
)
_HIT: Final = re.compile(rb"^" + _HITS.encode() + rb"\{(.*)\} (\S+)", re.MULTILINE)
_COMMIT: Final = re.compile(
    rb'^leaderboard_ledger_commit_duration_seconds_bucket\{le="([0-9.e+Inf-]+)"\} (\S+)',
    re.MULTILINE,
)
# Never tries again from the middle of a word: a page may hold one that is megabytes long.
_LABEL: Final = re.compile(r'\b(\w++)="([^"]*)"')
_P99: Final = 0.99
# fewer samples than these say nothing of the slowest in a hundred
_LEAST_SAMPLES: Final = 100
_NOTHING: Final[dict[str, Any]] = {"hits": 0, "members_written": 0, "buckets": []}


def read_hits(page: bytes) -> Hits:
    """The hits by key and op; cheap enough for every second of a run."""
    hits: Hits = {}
    for labels, text in _HIT.findall(page):
        named, value = _labels(labels), number(text)
        if value is not None and named.keys() >= {"key", "op"}:
            hits.setdefault(named["key"], {})[named["op"]] = int(value)
    return hits


def hits_between(before: Hits, after: Hits) -> Hits:
    """The hits that came between two readings; what did not move is left out.

    A count that is lower than before comes from a service that was restarted and counts from zero.
    """
    grown: Hits = {}
    for key, ops in after.items():
        for op, count in ops.items():
            earlier = before.get(key, {}).get(op, 0)
            growth = count - earlier if count >= earlier else count
            if growth:
                grown.setdefault(key, {})[op] = growth
    return grown


def has_restarted(before: Hits, after: Hits) -> bool:
    """Whether any count is lower than it was, or gone: the service was started again."""
    return any(
        after.get(key, {}).get(op, 0) < count
        for key, ops in before.items()
        for op, count in ops.items()
    )


@dataclass
class _Key:
    hits: dict[str, int] = field(default_factory=dict)
    buckets: dict[str, list[list[Any]]] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    written: int = 0
    members: int | None = None

    def as_document(self) -> dict[str, Any]:
        """One key of a snapshot in measurements.json."""
        document: dict[str, Any] = {"members": self.members}
        for op in self.hits:
            document[op] = {
                "hits": self.hits[op],
                "buckets": self.buckets.get(op, []),
                "sum": self.sums.get(op, 0.0),
            }
            if op == "write":
                document[op]["members_written"] = self.written
        return document


def read_snapshot(page: bytes) -> dict[str, Any]:
    """All counters by key, in the form that measurements.json holds."""
    keys: dict[str, _Key] = {}
    for name, labels, text in _SAMPLE.findall(page):
        named, value = _labels(labels), number(text)
        if value is not None and "key" in named:
            _add_sample(keys.setdefault(named["key"], _Key()), name.decode(), named, value)
    return {name: key.as_document() for name, key in keys.items()}


def read_ledger_buckets(page: bytes) -> list[list[Any]]:
    """How many of the ledger's commits took at most how long; empty without a ledger."""
    found = [(_bound(bound.decode()), number(count)) for bound, count in _COMMIT.findall(page)]
    return [
        [bound, int(count)] for bound, count in found if bound is not None and count is not None
    ]


def _labels(text: bytes) -> dict[str, str]:
    return dict(_LABEL.findall(readable(text.decode("utf-8", "replace"))))


def number(text: bytes | str) -> float | None:
    """A count from the page; None for NaN, which a service writes when it does not know."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < inf else None


def _bound(text: str) -> float | str | None:
    return text if text == "+Inf" else number(text)


def _add_sample(key: _Key, name: str, labels: dict[str, str], value: float) -> None:
    op = labels.get("op", "")
    if name == _HITS:
        key.hits[op] = int(value)
    elif name == _WRITTEN:
        key.written = int(value)
    elif name == _MEMBERS:
        key.members = int(value)
    elif name == _SUM:
        key.sums[op] = value
    elif name == _BUCKET and (bound := _bound(labels.get("le", ""))) is not None:
        key.buckets.setdefault(op, []).append([bound, int(value)])


@dataclass(frozen=True)
class HotKey:
    """One key and op since the start; what is not known yet is None."""

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
