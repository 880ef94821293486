from collections import Counter

import pytest
from hdrh.histogram import HdrHistogram  # type: ignore[import-untyped]  # ships no types
from hypothesis import given, settings
from hypothesis import strategies as st

from locustfiles.recording.buckets import (
    HIGHEST_US,
    add_counts,
    bucket_of,
    clamped,
    encoded,
    percentile,
)

values = st.integers(1, HIGHEST_US)


@settings(deadline=None)
@given(values)
def test_buckets_are_those_of_hdrhistogram(value: int) -> None:
    """Every value within the range falls into the library's own bucket."""
    truth = HdrHistogram(1, HIGHEST_US, 3)

    assert truth.get_lowest_equivalent_value(value) == bucket_of(value)


@settings(deadline=None)
@given(values)
def test_a_bucket_keeps_three_digits(value: int) -> None:
    """The bucket's lowest value is less than a thousandth away."""
    assert 0 <= value - bucket_of(value) <= value / 1000


@settings(deadline=None, max_examples=30)
@given(st.dictionaries(values.map(bucket_of), st.integers(1, 10**9), max_size=40))
def test_encoding_loses_nothing(counts: dict[int, int]) -> None:
    """Any HDR tool reads back the same counts in the same buckets."""
    decoded = HdrHistogram.decode(encoded(counts))
    found = {
        decoded.get_lowest_equivalent_value(item.value_iterated_to): item.count_at_value_iterated_to
        for item in decoded.get_recorded_iterator()
    }

    assert counts == found


@settings(deadline=None)
@given(st.lists(values), st.lists(values))
def test_adding_up_is_recording_together(some: list[int], others: list[int]) -> None:
    """Two recordings add up to the one that saw all values."""
    into = dict(Counter(map(bucket_of, some)))
    add_counts(into, Counter(map(bucket_of, others)))

    assert Counter(map(bucket_of, some + others)) == into


@pytest.mark.parametrize(
    ("value", "expected"), [(-5, 1), (0, 1), (7, 7), (HIGHEST_US, HIGHEST_US), (10**9, HIGHEST_US)]
)
def test_values_outside_the_range_are_clamped(value: int, expected: int) -> None:
    """The nearest value of the range stands for them."""
    assert expected == clamped(value)


def test_percentiles_of_few_values() -> None:
    """A percentile is a value that was recorded, and without values there is none."""
    counts = {10: 50, 20: 49, 30: 1}

    assert [10, 20, 20, 30] == [percentile(counts, p) for p in (0.5, 0.51, 0.99, 0.999)]
    assert percentile({}, 0.5) is None
