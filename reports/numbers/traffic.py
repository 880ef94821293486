"""What each key did during the measured phase, and how unevenly the keys shared it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reports.numbers.histogram import Bucket, between, bounds
from reports.numbers.rounding import rounded
from reports.rundir.measurements import Counters, KeyCounters, Keys

OPS = ("read", "write")
_NOTHING = Counters(hits=0)


@dataclass(frozen=True)
class KeyTraffic:
    """One key and op: hits, members written, latency buckets; `members` the board's size."""

    key: str
    op: str
    hits: int
    members_written: int
    buckets: tuple[Bucket, ...]
    members: int | None

    @property
    def weight(self) -> int:
        """What the share is taken of: members written for writes, hits for reads."""
        return self.members_written if self.op == "write" else self.hits


@dataclass(frozen=True)
class Traffic:
    """Every key's traffic, or the reason why none is known."""

    keys: tuple[KeyTraffic, ...]
    reason: str | None = None

    def of(self, op: str) -> list[KeyTraffic]:
        """The traffic of one op, in the keys' order."""
        return [traffic for traffic in self.keys if traffic.op == op]


def traffic_of(keys: Keys, order: Sequence[str]) -> Traffic:
    """Subtract the counters at the start from those at the end; never guess across a restart."""
    if keys.reason:
        return Traffic((), keys.reason)
    if keys.start is None or keys.end is None:
        missing = "start" if keys.start is None else "end"
        return Traffic((), f"the counters at the {missing} of the measured phase were not read")
    if keys.start.at_second >= keys.end.at_second:
        return Traffic((), "the counters were read only once")
    known = {*keys.start.keys, *keys.end.keys}
    names = [key for key in order if key in known]
    names += sorted(known.difference(order))
    traffic = []
    for name in names:
        before = keys.start.keys.get(name, KeyCounters())
        after = keys.end.keys.get(name, KeyCounters())
        for op in OPS:
            try:
                traffic.append(_difference(name, op, before, after))
            except ValueError as error:
                return Traffic((), str(error))
    return Traffic(tuple(traffic))


def _difference(key: str, op: str, before: KeyCounters, after: KeyCounters) -> KeyTraffic:
    start: Counters = getattr(before, op) or _NOTHING
    end: Counters = getattr(after, op) or _NOTHING
    try:
        buckets = tuple(between(bounds(start.buckets), bounds(end.buckets)))
    except ValueError as error:
        raise ValueError(f"the latency buckets of {key} cannot be read ({error})") from error
    hits = end.hits - start.hits
    written = end.members_written - start.members_written
    if min(hits, written, *(count for _, count in buckets), 0) < 0:
        raise ValueError(f"the counters of {key} went backwards: the service was restarted")
    return KeyTraffic(key, op, hits, written, buckets, after.members)


@dataclass(frozen=True)
class Skew:
    """The skew of one op; effective keys = 1 / Σ share², the number of equally loaded keys."""

    hottest_key: str
    hottest_share: float
    effective_keys: float
    keys_touched: int
    fair_share: float | None


def skew_of(keys: list[KeyTraffic], fair_keys: int | None) -> Skew | None:
    """The skew of one op's keys; None when none of them was touched."""
    total = sum(key.weight for key in keys)
    if total == 0:
        return None
    hottest = max(keys, key=lambda key: key.weight)
    return Skew(
        hottest_key=hottest.key,
        hottest_share=hottest.weight / total,
        effective_keys=total**2 / sum(key.weight**2 for key in keys),
        keys_touched=sum(key.weight > 0 for key in keys),
        fair_share=1 / fair_keys if fair_keys else None,
    )


def skew_json(traffic: Traffic, fair_keys: int | None) -> dict[str, Any] | None:
    """The `skew` field of run.json; None when the counters were not read."""
    if not traffic.keys:
        return None
    found = {op: skew_of(traffic.of(op), fair_keys) for op in reversed(OPS)}
    return {
        op: {name: rounded(value) for name, value in asdict(skew).items()} if skew else None
        for op, skew in found.items()
    }
