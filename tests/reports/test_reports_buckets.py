"""Quantiles of Prometheus buckets, against hand-worked values and the real samples."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reports.numbers.histogram import between, bounds, quantile_seconds

HALF = Fraction(1, 2)
P95 = Fraction(95, 100)
BOUNDS = (0.001, 0.002, 0.005, 0.01, inf)


@pytest.mark.parametrize(
    ("caption", "buckets", "fraction", "expected"),
    [
        ("half way into the first bucket", [(0.1, 10), (inf, 10)], HALF, 0.05),
        ("half way into the second", [(0.1, 4), (0.2, 12), (inf, 12)], HALF, 0.125),
        ("in the last: its lower bound", [(0.1, 4), (0.2, 5), (inf, 100)], P95, 0.2),
        (
            "an empty bucket is passed over",
            [(0.1, 10), (0.2, 10), (0.4, 30), (inf, 30)],
            HALF,
            0.25,
        ),
        ("too few samples", [(0.1, 19), (inf, 19)], P95, None),
        ("nothing at all", [(0.1, 0), (inf, 0)], HALF, None),
        ("no buckets", [], HALF, None),
    ],
)
def test_quantiles_by_hand(
    caption: str, buckets: list[tuple[float, int]], fraction: Fraction, expected: float | None
) -> None:
    """The interpolation gives the value worked out by hand."""
    found = quantile_seconds(buckets, fraction)

    assert found == (None if expected is None else pytest.approx(expected)), caption


@example([0.001] * 16 + [0.004] * 3 + [0.009])
@given(st.lists(st.floats(0.0001, 0.0099), min_size=20, max_size=200))
def test_quantiles_stay_in_the_right_bucket(samples: list[float]) -> None:
    """The interpolated quantile lies in the bucket that holds the exact one."""
    buckets = [(bound, sum(sample <= bound for sample in samples)) for bound in BOUNDS]
    found = quantile_seconds(buckets, P95)
    exact = sorted(samples)[-(-95 * len(samples) // 100) - 1]
    upper = next(bound for bound in BOUNDS if exact <= bound)

    assert found is not None
    assert max((bound for bound in BOUNDS if bound < upper), default=0.0) <= found <= upper


def test_written_bounds_become_numbers() -> None:
    """Bounds come as numbers or text, in any order, the last as +Inf."""
    assert bounds([("+Inf", 3), (0.5, 2), ("0.1", 1)]) == [(0.1, 1), (0.5, 2), (inf, 3)]


def test_only_what_happened_between_counts() -> None:
    """The counts at the start are subtracted bound by bound; an unknown bound began at 0."""
    assert between([(0.1, 5), (inf, 9)], [(0.1, 6), (0.2, 7), (inf, 19)]) == [
        (0.1, 1),
        (0.2, 7),
        (inf, 10),
    ]
