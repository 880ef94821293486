"""Quantiles of a Prometheus histogram, interpolated linearly as `histogram_quantile` does.

The surprise of the method: a quantile in the last bucket is that bucket's lower bound,
since the bucket has no upper one.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf

from reports.numbers.histogram import samples_needed

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
