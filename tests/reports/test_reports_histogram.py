"""The histogram: both encodings, percentiles against exact lists, buckets, broken input."""

import base64
import struct
import zlib
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_load import encoded, sparse

from reports.numbers.histogram import PERCENTILES, Histogram, highest_us, samples_needed

times_us = st.lists(st.integers(1, 60_000_000), min_size=1, max_size=300)
fractions = st.sampled_from(list(PERCENTILES.values()))


def _array(values: list[int]) -> "np.typing.NDArray[np.int64]":
    return np.array(values, dtype=np.int64)


@settings(deadline=None, max_examples=40)
@given(times_us)
def test_both_encodings_hold_the_same_counts(values: list[int]) -> None:
    """The HdrHistogram encoding and the sparse form of the same values read alike."""
    from_encoding = Histogram.from_json(encoded(_array(values)))
    from_sparse = Histogram.from_json(sparse(_array(values)))

    assert dict(from_sparse.counts) == dict(from_encoding.counts)
    assert len(values) == from_encoding.total


@settings(deadline=None, max_examples=40)
@given(times_us, fractions)
def test_percentiles_agree_with_the_exact_list(values: list[int], fraction: Fraction) -> None:
    """A percentile is never below the exact one, and at most a bucket's width above it."""
    found = Histogram.from_json(encoded(_array(values))).percentile_ms(fraction)

    if len(values) < samples_needed(fraction):
        assert found is None
    else:
        exact = sorted(values)[ceil(fraction * len(values)) - 1] / 1000
        assert found is not None
        assert exact <= found <= exact * 1.001


@settings(deadline=None, max_examples=40)
@given(times_us)
def test_percentiles_never_cross(values: list[int]) -> None:
    """A higher percentile is never lower, and none exceeds the maximum."""
    histogram = Histogram.from_json(sparse(_array(values)))
    found = [histogram.percentile_ms(fraction) for fraction in PERCENTILES.values()]
    shown = [*(value for value in found if value is not None), histogram.max_ms]

    assert sorted(shown, key=lambda value: value or 0) == shown


@settings(deadline=None, max_examples=40)
@given(times_us, times_us)
def test_merging_is_recording_in_one(left: list[int], right: list[int]) -> None:
    """Merged histograms equal the histogram of all values."""
    merged = Histogram.merged(Histogram.from_json(encoded(_array(part))) for part in (left, right))

    assert dict(Histogram.from_json(sparse(_array(left + right))).counts) == dict(merged.counts)


@settings(deadline=None, max_examples=40)
@given(times_us, st.integers(0, 60_000_000))
def test_late_answers_are_counted_at_the_resolution(values: list[int], limit_us: int) -> None:
    """Every later answer counts as late; an earlier one only from the limit's own bucket."""
    found = Histogram.from_json(sparse(_array(values))).count_above(limit_us)

    assert sum(value > limit_us for value in values) <= found
    assert found <= sum(highest_us(value) > limit_us for value in values)


@pytest.mark.parametrize(
    ("samples", "shown"),
    [(1, []), (2, ["p50_ms"]), (10, ["p50_ms", "p90_ms"]), (999, list(PERCENTILES)[:4])],
)
def test_a_percentile_needs_its_samples(samples: int, shown: list[str]) -> None:
    """With fewer than 1 / (1 - p) samples a percentile is not told."""
    histogram = Histogram({100: samples})

    assert shown == [
        name
        for name, fraction in PERCENTILES.items()
        if histogram.percentile_ms(fraction) is not None
    ]


def test_nothing_recorded_is_no_number() -> None:
    """An empty histogram has neither a percentile nor a maximum."""
    empty = Histogram.from_json(encoded(_array([])))

    assert (0, None, None) == (empty.total, empty.percentile_ms(Fraction(1, 2)), empty.max_ms)


def test_the_range_ends_at_a_minute() -> None:
    """A clamped value shows as 60 s and not as the end of its bucket."""
    assert Histogram.from_json(sparse(_array([60_000_000]))).max_ms == 60_000.0


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "HISTFAAA",
        "not base64!",
        "HISTFAAAABx4nJNpmSzMwMDA",
        3,
        None,
        {"a": 1},
        {"1": -1},
        {"1": 2.5},
        {"9" * 5_000: 1},
    ],
)
def test_a_broken_encoding_is_named(broken: object) -> None:
    """What is no histogram raises a ValueError that says what was expected."""
    with pytest.raises(ValueError, match="Expected an"):
        Histogram.from_json(broken)


def _crafted(digits: int, zeros: int) -> str:
    """An encoding whose header says so many digits, behind which come so many zeros."""
    header = struct.pack(">IIIIqqd", 0x1C849303, zeros, 0, digits, 1, 60_000_000, 1.0)
    packed = zlib.compress(header + bytes(zeros))
    return base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed).decode()


def test_an_encoding_gets_no_more_room_than_one_can_need() -> None:
    """A text of kilobytes may stand for gigabytes, and a header ask for millions of counts."""
    assert 0 == Histogram.from_json(_crafted(3, 9)).total
    with pytest.raises(ValueError, match="longer than one can be"):
        Histogram.from_json(_crafted(3, 20_000_000))
    with pytest.raises(ValueError, match="of 5 digits, not of 3"):
        Histogram.from_json(_crafted(5, 9))
