"""Computed shares, and samples that agree with them within four standard deviations."""

import numpy as np
import pytest
from numpy.typing import NDArray

from workload.assumptions import Assumptions, InvalidWorkload
from workload.popularity import Popularity, make_popularity

SIGMAS = 4
DRAWS = 200_000
MODELS = ("uniform", "hot-partition", "zipf")


def popularity(
    name: str,
    players: int = 12_000,
    seed: int = 1,
    *,
    multiplier: float = 2.0,
    exponent: float = 1.21,
) -> Popularity:
    """Make a popularity over the twelve partitions of the baseline."""
    assumptions = Assumptions(
        popularity=name, hot_partition_multiplier=multiplier, zipf_exponent=exponent
    )
    return make_popularity(assumptions, players, seed)


def sample(model: Popularity, seed: int = 7) -> NDArray[np.int64]:
    """Draw the players that the statistical tests look at."""
    return model.sample(np.random.default_rng(seed), DRAWS)


def assert_shares_agree(players: NDArray[np.int64], shares: NDArray[np.float64]) -> None:
    """Compare a sample's shares with the computed ones, four standard deviations allowed."""
    sampled = np.bincount(players % len(shares), minlength=len(shares)) / len(players)
    deviation = np.sqrt(shares * (1 - shares) / len(players))

    assert np.all(np.abs(sampled - shares) <= SIGMAS * deviation)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("players", [12_000, 12_007, 25])
def test_sampled_shares_agree_with_the_computed_ones(name: str, players: int) -> None:
    """Also where the players do not divide evenly over the partitions."""
    model = popularity(name, players)

    assert_shares_agree(sample(model), model.partition_shares())


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("players", [12, 1_000])
def test_shares_add_up_to_one_and_samples_are_players(name: str, players: int) -> None:
    """Every request goes to a partition, and every player drawn exists."""
    model = popularity(name, players)
    drawn = sample(model)

    assert model.partition_shares().sum() == pytest.approx(1, abs=1e-12)
    assert model.partition_shares().shape == (12,)
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert drawn.max() < players


@pytest.mark.parametrize("name", MODELS)
def test_the_same_generator_draws_the_same_players(name: str) -> None:
    """A sample depends on the popularity and on the generator alone."""
    assert np.array_equal(sample(popularity(name)), sample(popularity(name)))


@pytest.mark.parametrize("name", MODELS)
def test_nobody_can_change_the_shares_of_a_popularity(name: str) -> None:
    """The shares handed out are a copy."""
    model = popularity(name)
    model.partition_shares()[:] = 0

    assert model.partition_shares().sum() == pytest.approx(1)


def test_uniform_shares_follow_the_number_of_players() -> None:
    """Twenty-five players on twelve partitions: the first has three, the others two."""
    assert popularity("uniform", 25).partition_shares().tolist() == [3 / 25] + [2 / 25] * 11


def test_uniform_players_are_equally_likely() -> None:
    """Each of 100 players is drawn its hundredth of the time."""
    counts = np.bincount(sample(popularity("uniform", 100)), minlength=100)
    deviation = np.sqrt(DRAWS * 0.01 * 0.99)

    assert np.all(np.abs(counts - DRAWS / 100) <= SIGMAS * deviation)


def test_the_hot_partition_gets_its_multiple_of_the_average() -> None:
    """Twice the average of all is 2/12; the other eleven share the rest equally."""
    shares = popularity("hot-partition").partition_shares()

    assert shares[0] == pytest.approx(2 / 12)
    assert shares[1:] == pytest.approx(np.full(11, 10 / 12 / 11))


def test_players_of_the_hot_partition_are_equally_likely() -> None:
    """Each of the ten players of the first partition gets a tenth of its share."""
    drawn = sample(popularity("hot-partition", 120))
    counts = np.bincount(drawn, minlength=120)[::12]
    share = 2 / 12 / 10
    deviation = np.sqrt(DRAWS * share * (1 - share))

    assert np.all(np.abs(counts - DRAWS * share) <= SIGMAS * deviation)


@pytest.mark.parametrize(("multiplier", "share"), [(1, 1 / 12), (12, 1.0)])
def test_the_hot_partition_may_be_average_or_everything(multiplier: float, share: float) -> None:
    """At the bounds the load is even, or all of it is in one place."""
    model = popularity("hot-partition", multiplier=multiplier)

    assert model.partition_shares()[0] == pytest.approx(share)
    assert_shares_agree(sample(model), model.partition_shares())


def test_a_single_partition_gets_everything() -> None:
    """With one board the hot one is the only one."""
    assumptions = Assumptions(
        regions=("eu",), modes=("solo",), popularity="hot-partition", hot_partition_multiplier=1
    )
    model = make_popularity(assumptions, 10, seed=1)

    assert model.partition_shares().tolist() == [1.0]
    assert set(range(10)) == set(sample(model).tolist())


def test_zipf_follows_its_law_by_rank() -> None:
    """The player of rank r is drawn in proportion to r ** -1.21."""
    counts = np.sort(np.bincount(sample(popularity("zipf", 1_000)), minlength=1_000))[::-1]
    weights = np.arange(1, 1_001) ** -1.21
    shares = weights / weights.sum()
    deviation = np.sqrt(DRAWS * shares * (1 - shares))

    # The first ranks only: further down, chance reorders neighbours.
    assert np.all(np.abs(counts - DRAWS * shares)[:8] <= SIGMAS * deviation[:8])


def test_zipf_shares_add_up_the_weights_of_each_partition() -> None:
    """Thirteen players drawn often enough show their weights, and the shares are their sums."""
    model = popularity("zipf", 13, exponent=1.0)
    by_player = np.bincount(sample(model), minlength=13)
    ranks = np.empty(13)
    ranks[np.argsort(-by_player)] = np.arange(1, 14)
    weights = (1 / ranks) / (1 / ranks).sum()
    expected = np.bincount(np.arange(13) % 12, weights=weights, minlength=12)

    assert model.partition_shares() == pytest.approx(expected)


def test_the_seed_scatters_zipf_ranks_over_the_partitions() -> None:
    """Another seed heats another partition; the same seed the same."""
    shares = [popularity("zipf", seed=seed).partition_shares() for seed in (1, 1, 2)]

    assert np.array_equal(shares[0], shares[1])
    assert not np.allclose(shares[0], shares[2])


def test_zipf_partitions_are_skewed_though_only_players_are_ranked() -> None:
    """The partition of the most popular player is above twice its fair share."""
    assert popularity("zipf").partition_shares().max() > 2 / 12


def test_a_steep_zipf_is_one_player() -> None:
    """Weights too small for a float are never drawn, and nothing divides by zero."""
    model = popularity("zipf", exponent=100)

    assert model.partition_shares().max() == pytest.approx(1)
    assert len(set(sample(model).tolist())) == 1


def test_a_single_player_is_enough_for_uniform_and_zipf() -> None:
    """All requests are about player 0, on the first partition."""
    for name in ("uniform", "zipf"):
        model = popularity(name, players=1)

        assert model.partition_shares().tolist() == [1.0] + [0.0] * 11
        assert set(sample(model).tolist()) == {0}


def test_a_hot_partition_without_players_everywhere_is_refused() -> None:
    """An empty partition could not be given its share."""
    with pytest.raises(InvalidWorkload) as refusal:
        popularity("hot-partition", players=11)

    assert refusal.value.problems == (
        (
            "The popularity hot-partition needs a player in each of the 12 partitions, "
            "but there are 11; use more players or a larger scale."
        ),
    )


@pytest.mark.parametrize("name", MODELS)
def test_no_players_are_refused(name: str) -> None:
    """There is nobody to draw."""
    with pytest.raises(InvalidWorkload) as refusal:
        popularity(name, players=0)

    assert refusal.value.problems == ("There must be at least 1 player; there are 0.",)
