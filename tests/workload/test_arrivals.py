"""The schedule: exact counts, any second by itself, and slices that add up to the whole."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workload.arrivals import Arrivals, Schedule, slice_of
from workload.assumptions import Assumptions
from workload.popularity import make_popularity

# A busy machine is no wrong answer.
PATIENT = settings(deadline=None)
RATES = st.fractions(min_value=0, max_value=300, max_denominator=1_000)
SECONDS = st.integers(-600, 100_000)
UNIFORM = make_popularity(Assumptions(), 12_000, seed=1)


def schedule(rate: Fraction = Fraction(240), *, seed: int = 1, named: bool = True) -> Schedule:
    """Make the schedule of score writes, with players and scores unless told otherwise."""
    return Schedule(seed, "submit", rate, UNIFORM if named else None, scores=named)


def assert_equal(one: Arrivals, other: Arrivals) -> None:
    """Compare two draws, part by part."""
    assert one.first_index == other.first_index
    assert np.array_equal(one.offsets_us, other.offsets_us)
    for mine, theirs in ((one.players, other.players), (one.scores, other.scores)):
        assert mine is not None
        assert theirs is not None
        assert np.array_equal(mine, theirs)


@PATIENT
@given(rate=RATES, second=SECONDS)
def test_every_second_has_exactly_its_number_of_arrivals(rate: Fraction, second: int) -> None:
    """Indexes continue from second to second, warm-up included, and nothing is rounded away."""
    arrivals = schedule(rate).second(second)

    assert arrivals.first_index == floor(second * rate)
    assert len(arrivals.offsets_us) == floor((second + 1) * rate) - floor(second * rate)


@PATIENT
@given(rate=RATES, second=SECONDS)
def test_arrivals_are_sorted_within_their_second(rate: Fraction, second: int) -> None:
    """Offsets are microseconds from the start of the measured phase, in order."""
    offsets = schedule(rate).second(second).offsets_us

    assert offsets.dtype == np.int64
    assert np.all(offsets >= second * 1_000_000)
    assert np.all(offsets < (second + 1) * 1_000_000)
    assert np.all(np.diff(offsets) >= 0)


@PATIENT
@given(rate=RATES, second=SECONDS, slices=st.integers(1, 7), named=st.booleans())
def test_slices_are_disjoint_and_add_up_to_the_schedule(
    rate: Fraction, second: int, slices: int, *, named: bool
) -> None:
    """Each arrival is sent by exactly one worker, however many there are."""
    arrivals = schedule(rate, named=named).second(second)
    masks = [slice_of(arrivals, slices, index) for index in range(slices)]

    assert np.array_equal(np.sum(masks, axis=0), np.ones(len(arrivals.offsets_us)))


@PATIENT
@given(second=SECONDS, slices=st.integers(1, 7))
def test_slices_follow_the_player_or_the_index(second: int, slices: int) -> None:
    """One player's requests come from one place; the others take turns by index."""
    named = schedule().second(second)
    unnamed = schedule(named=False).second(second)

    assert named.players is not None
    for index in range(slices):
        turns = [
            (unnamed.first_index + place) % slices == index
            for place in range(len(unnamed.offsets_us))
        ]

        assert np.all(named.players[slice_of(named, slices, index)] % slices == index)
        assert turns == slice_of(unnamed, slices, index).tolist()


@PATIENT
@given(second=SECONDS)
def test_a_second_is_the_same_whenever_it_is_drawn(second: int) -> None:
    """Nothing is carried over from the seconds drawn before."""
    used = schedule()
    used.second(0)
    used.second(second - 1)

    assert_equal(schedule().second(second), used.second(second))


@pytest.mark.parametrize(
    "other",
    [
        Schedule(2, "submit", Fraction(240)).second(5),
        Schedule(1, "around", Fraction(240)).second(5),
        Schedule(1, "submit", Fraction(240)).second(6),
    ],
    ids=["seed", "operation", "second"],
)
def test_seed_operation_and_second_each_make_another_draw(other: Arrivals) -> None:
    """No two schedules share their instants."""
    mine = Schedule(1, "submit", Fraction(240)).second(5)

    assert not np.array_equal(mine.offsets_us % 1_000_000, other.offsets_us % 1_000_000)


def test_a_seed_means_the_same_arrivals_for_good() -> None:
    """These were drawn once; a run can be repeated as long as they stay what they are."""
    arrivals = Schedule(1, "submit", Fraction(3), UNIFORM, scores=True).second(-1)

    assert arrivals.first_index == -3
    assert arrivals.offsets_us.tolist() == [-904925, -837820, -544273]
    assert arrivals.players is not None
    assert arrivals.players.tolist() == [2221, 9501, 2131]
    assert arrivals.scores is not None
    assert arrivals.scores.tolist() == [5376, 2463, 29]


def test_a_fraction_of_a_request_per_second_is_carried_over() -> None:
    """Two thirds a second are two requests in three seconds, from the first second on."""
    slow = Schedule(1, "top", Fraction(2, 3))

    assert [len(slow.second(second).offsets_us) for second in range(-3, 3)] == [0, 1, 1, 0, 1, 1]


def test_another_popularity_changes_the_players_and_nothing_else() -> None:
    """Instants and scores stay, so two runs differ in one thing only."""
    zipf = make_popularity(Assumptions(popularity="zipf"), 12_000, seed=1)
    one = schedule().second(3)
    other = Schedule(1, "submit", Fraction(240), zipf, scores=True).second(3)

    assert np.array_equal(one.offsets_us, other.offsets_us)
    assert one.scores is not None
    assert other.scores is not None
    assert np.array_equal(one.scores, other.scores)
    assert one.players is not None
    assert other.players is not None
    assert not np.array_equal(one.players, other.players)


def test_a_read_of_the_top_names_no_player_and_no_score() -> None:
    """What an operation does not need is not drawn."""
    arrivals = Schedule(1, "top", Fraction(25)).second(0)

    assert arrivals.players is None
    assert arrivals.scores is None


def test_scores_span_the_loaded_range() -> None:
    """Both ends of 0 to 10,000 are written, and the mean is in the middle."""
    scores = Schedule(1, "submit", Fraction(200_000), scores=True).second(0).scores

    assert scores is not None
    assert (scores.min(), scores.max()) == (0, 10_000)
    # Four standard deviations of the mean of 200,000 draws.
    assert scores.mean() == pytest.approx(5_000, abs=4 * 10_000 / np.sqrt(12 * 200_000))


def test_instants_are_spread_evenly_and_at_random() -> None:
    """Over 100 seconds each of ten tenths gets its share, and gaps vary as a Poisson process's."""
    offsets = np.concatenate([schedule().second(second).offsets_us for second in range(100)])
    tenths = np.bincount(offsets % 1_000_000 // 100_000, minlength=10)
    gaps = np.diff(offsets)

    # Four standard deviations of a binomial count of 24,000 with probability 1/10.
    assert np.all(np.abs(tenths - 2_400) <= 4 * np.sqrt(24_000 * 0.1 * 0.9))
    # Exponential gaps have a coefficient of variation of 1; evenly paced ones would have 0.
    assert np.std(gaps) / np.mean(gaps) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(("slices", "index"), [(2, 2), (2, -1), (0, 0)])
def test_a_slice_that_does_not_exist_is_refused(slices: int, index: int) -> None:
    """A worker with a wrong number must not fall silent."""
    with pytest.raises(ValueError, match="is none of the"):
        slice_of(schedule().second(0), slices, index)
