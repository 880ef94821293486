"""Distributions: HDR buckets as recorded, and the quantiles of Prometheus' buckets."""

import base64
import struct
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil, inf
from types import MappingProxyType
from typing import Final

from hdrh.codec import (  # type: ignore[import-untyped]  # hdrhistogram ships no types
    HdrCookieException,
    HdrLengthException,
)
from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]  # the same

PERCENTILES = {
    "p50_ms": Fraction(50, 100),
    "p90_ms": Fraction(90, 100),
    "p95_ms": Fraction(95, 100),
    "p99_ms": Fraction(99, 100),
    "p999_ms": Fraction(999, 1000),
}

HIGHEST_US = 60_000_000
DIGITS = 3
_SINGLE_US_BITS = 11
# More than 17,408 buckets with a count of nine bytes each.
_LARGEST_BYTES = 1_000_000
_HEADER_BYTES = 8
_DIGITS_AT = 12
_LONGEST_BUCKET = 18

_BROKEN_ENCODING = (
    ValueError,
    IndexError,
    RuntimeError,
    MemoryError,
    OverflowError,
    zlib.error,
    struct.error,
    HdrCookieException,
    HdrLengthException,
)


class Histogram:
    """Counts by the lowest value of their bucket, in microseconds."""

    # No dataclass: msgspec would read its fields instead of asking how it is written.
    __slots__ = ("_buckets", "_ranks", "counts")

    def __init__(self, counts: Mapping[int, int]) -> None:
        self.counts: Final = MappingProxyType(dict(counts))
        self._buckets: list[int] = []
        # how many values lie in each bucket or below it
        self._ranks: list[int] = []

    @classmethod
    def from_json(cls, value: object) -> "Histogram":
        """Read an HdrHistogram V2 encoding or a `{"<lowest µs>": count}` object."""
        if isinstance(value, str):
            return cls(_decoded(value))
        if isinstance(value, dict):
            return cls(_parsed(value))
        raise ValueError("Expected an HdrHistogram encoding or an object of counts")

    @classmethod
    def merged(cls, histograms: Iterable["Histogram"]) -> "Histogram":
        """The sum of several, as if all their values had been recorded in one."""
        counts: dict[int, int] = {}
        for histogram in histograms:
            for bucket, count in histogram.counts.items():
                counts[bucket] = counts.get(bucket, 0) + count
        return cls(counts)

    @property
    def total(self) -> int:
        """How many values were recorded."""
        return sum(self.counts.values())

    def percentile_ms(self, fraction: Fraction) -> float | None:
        """The value that `fraction` of all do not exceed; None with under 1 / (1 - p) samples."""
        if not self._ranks:
            self._buckets = sorted(self.counts)
            self._ranks = list(accumulate(self.counts[bucket] for bucket in self._buckets))
        total = self._ranks[-1] if self._ranks else 0
        if total < samples_needed(fraction):
            return None
        bucket = self._buckets[bisect_left(self._ranks, ceil(fraction * total))]
        return highest_us(bucket) / 1000

    @property
    def max_ms(self) -> float | None:
        """The highest value, or None when nothing was recorded."""
        used = [bucket for bucket, count in self.counts.items() if count]
        return highest_us(max(used)) / 1000 if used else None

    def count_above(self, limit_us: float) -> int:
        """How many values lie above the limit; a bucket is judged by its highest value."""
        return sum(count for bucket, count in self.counts.items() if highest_us(bucket) > limit_us)


def samples_needed(fraction: Fraction) -> int:
    """How many samples a percentile needs before it says anything: 1 / (1 - p)."""
    return ceil(1 / (1 - fraction))


def highest_us(value_us: int) -> int:
    """The highest value that shares a bucket with this one, but never above 60 s."""
    shift = max(0, value_us.bit_length() - _SINGLE_US_BITS)
    return min(HIGHEST_US, ((value_us >> shift) + 1 << shift) - 1)


def _decoded(encoding: str) -> dict[int, int]:
    try:
        _check(encoding)
        histogram = HdrHistogram.decode(encoding.encode())
        if histogram.get_total_count() == 0:
            return {}
        # ten times as fast as its own iterator, which looks at every bucket in many steps
        counts = {
            int(histogram.get_value_from_index(index)): int(count)
            for index, count in enumerate(histogram.counts)
            if count
        }
    except _BROKEN_ENCODING as error:
        raise ValueError(
            f"Expected an HdrHistogram encoding, which this is not ({error})"
        ) from error
    return counts


def _check(encoding: str) -> None:
    """Look at an encoding before the room is made that it asks for.

    Raises:
        ValueError, zlib.error, struct.error: it is too long, of other digits, or no encoding.
    """
    packed = base64.b64decode(encoding)[_HEADER_BYTES:]
    content = zlib.decompressobj().decompress(packed, _LARGEST_BYTES)
    if len(content) == _LARGEST_BYTES:
        raise ValueError("it is longer than one can be")
    (digits,) = struct.unpack_from(">I", content, _DIGITS_AT)
    if digits != DIGITS:
        raise ValueError(f"it is of {digits} digits, not of {DIGITS}")


def _parsed(counts: Mapping[object, object]) -> dict[int, int]:
    parsed = {}
    for bucket, count in counts.items():
        if not (
            isinstance(bucket, str)
            and bucket.isdecimal()
            and len(bucket) <= _LONGEST_BUCKET
            and type(count) is int
            and count >= 0
        ):
            raise ValueError("Expected an object of microseconds and counts")
        parsed[int(bucket)] = count
    return parsed


Bucket = tuple[float, int]


def bounds(buckets: Sequence[tuple[float | str, int]]) -> list[Bucket]:
    """Buckets with numeric upper bounds, in order; raises ValueError for what is no bound."""
    return sorted((inf if le == "+Inf" else float(le), count) for le, count in buckets)


def between(start: Sequence[Bucket], end: Sequence[Bucket]) -> list[Bucket]:
    """The cumulative counts of what happened between two readings of the same buckets."""
    before = dict(start)
    return [(le, count - before.get(le, 0)) for le, count in end]


def quantile_seconds(buckets: Sequence[Bucket], fraction: Fraction) -> float | None:
    """The interpolated quantile; None with too few samples or no bounded bucket."""
    total = buckets[-1][1] if buckets else 0
    if total < samples_needed(fraction) or len(buckets) == 1:
        return None
    rank = float(fraction * total)
    lower, below = 0.0, 0
    for le, cumulative in buckets:
        if cumulative >= rank:
            if le == inf:
                return lower
            # Rounding may carry the sum past the bound, and so into the next bucket.
            return min(le, lower + (le - lower) * (rank - below) / (cumulative - below))
        lower, below = le, cumulative
    return lower
