"""The two parts of a write's time, by the service's own clocks: the ledger's and Redis'."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reports.numbers.histogram import Bucket, between, bounds, quantile_seconds
from reports.numbers.traffic import Traffic
from reports.rundir.measurements import Keys

_P50, _P99 = Fraction(1, 2), Fraction(99, 100)


@dataclass(frozen=True)
class Part:
    """How often it happened in the measured phase, and how long it took."""

    times: int
    p50_seconds: float | None
    p99_seconds: float | None


@dataclass(frozen=True)
class WriteParts:
    """Commits of the ledger (many events may share one), and write commands to Redis."""

    ledger: Part
    redis: Part


def write_parts(keys: Keys, traffic: Traffic) -> WriteParts | None:
    """Subtract the readings of both ends; None without a ledger, or when one is missing."""
    start = keys.start.ledger_buckets if keys.start else None
    end = keys.end.ledger_buckets if keys.end else None
    if not start or not end or traffic.reason:
        return None
    try:
        commits = between(bounds(start), bounds(end))
    except ValueError:
        return None
    if min(count for _, count in commits) < 0:
        return None
    return WriteParts(_part(commits), _part(_together(traffic)))


def _together(traffic: Traffic) -> list[Bucket]:
    """The write buckets of all keys added up."""
    counts: Counter[float] = Counter()
    for bucket in _buckets(traffic):
        counts[bucket[0]] += bucket[1]
    return sorted(counts.items())


def _buckets(traffic: Traffic) -> Iterable[Bucket]:
    for key in traffic.of("write"):
        yield from key.buckets


def _part(buckets: Sequence[Bucket]) -> Part:
    times = buckets[-1][1] if buckets else 0
    return Part(times, quantile_seconds(buckets, _P50), quantile_seconds(buckets, _P99))


def parts_sentence(parts: WriteParts | None) -> str | None:
    """The ledger's and Redis' part of the time of writes; None when unknown, or nothing wrote."""
    if parts is None or not parts.ledger.times + parts.redis.times:
        return None
    return (
        f"writes apart: {_part_words('ledger', parts.ledger, 'commits')}; "
        f"{_part_words('Redis', parts.redis, 'commands')}"
    )


def _part_words(name: str, part: Part, unit: str) -> str:
    times = [
        f"{label} {seconds * 1_000:,.1f} ms"
        for label, seconds in (("p50", part.p50_seconds), ("p99", part.p99_seconds))
        if seconds is not None
    ]
    return f"{name} {', '.join([f'{part.times:,} {unit}', *times])}"
