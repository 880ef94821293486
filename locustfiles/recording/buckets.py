"""HDR buckets in a plain dictionary: 1 µs to 60 s, three significant digits.

The bucketing is HdrHistogram's (Gil Tene); the surprise is how little of it recording needs:
values below 2,048 are their own bucket, larger ones keep their first eleven bits.
Sparse dictionaries add up without loss, travel as they are, and cost nothing when empty.
"""

from collections.abc import Mapping
from typing import Final

from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]  # ships no types

LOWEST_US: Final = 1
HIGHEST_US: Final = 60_000_000
DIGITS: Final = 3
_KEPT_BITS: Final = 11

Counts = dict[int, int]


def bucket_of(microseconds: int) -> int:
    """The lowest value of the bucket that holds a value within the range."""
    shift = microseconds.bit_length() - _KEPT_BITS
    return microseconds if shift <= 0 else microseconds >> shift << shift


def clamped(microseconds: int) -> int:
    """The value itself, or the nearest one within the range."""
    return min(max(microseconds, LOWEST_US), HIGHEST_US)


def add_counts(into: Counts, counts: Mapping[int, int]) -> None:
    """Add one set of buckets to another."""
    for bucket, count in counts.items():
        into[bucket] = into.get(bucket, 0) + count


def encoded(counts: Mapping[int, int]) -> str:
    """The buckets as a base64 HdrHistogram (V2), which every HDR tool reads."""
    histogram = HdrHistogram(LOWEST_US, HIGHEST_US, DIGITS)
    for bucket, count in counts.items():
        histogram.record_value(bucket, count)
    text: bytes = histogram.encode()
    return text.decode("ascii")


def percentile(counts: Mapping[int, int], fraction: float) -> int | None:
    """The bucket at or below which a fraction of the values lie; None without values."""
    total = sum(counts.values())
    wanted = fraction * total
    reached = 0
    for bucket in sorted(counts):
        reached += counts[bucket]
        if reached >= wanted:
            return bucket
    return None


def highest_of(bucket: int) -> int:
    """The highest value that a bucket holds, which is what it stands for in a report."""
    shift = max(bucket.bit_length() - _KEPT_BITS, 0)
    return min(((bucket >> shift) + 1 << shift) - 1, HIGHEST_US)
