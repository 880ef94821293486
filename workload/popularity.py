"""How popular each player is: one contract, three models, one chooser."""

from hashlib import blake2b
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workload.assumptions import Assumptions, InvalidWorkload
from workload.model import TrafficModel


def named_generator(*names: str | int) -> np.random.Generator:
    """Make the one PCG64 generator that belongs to these names.

    The names are hashed, not added up: neighbouring seeds and seconds share nothing.
    """
    digest = blake2b(repr([str(name) for name in names]).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest)))


class Popularity(Protocol):
    """Who a request is about: draws players, and knows what share each partition gets."""

    def partition_shares(self) -> NDArray[np.float64]:
        """Compute the share of requests of each partition, in the order of the keys."""
        ...

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw player indexes; player i lives in partition i mod the number of partitions."""
        ...


def players_per_partition(players: int, partitions: int) -> NDArray[np.int64]:
    """Count the players of each partition; the first ones hold the rest of the division."""
    return (players - np.arange(partitions, dtype=np.int64) + partitions - 1) // partitions


class Uniform:
    """Every player is equally popular: the default, in which only chance is left of skew."""

    def __init__(self, players: int, partitions: int) -> None:
        self._players = players
        self._partitions = partitions

    def partition_shares(self) -> NDArray[np.float64]:
        """Give each partition the share of its players."""
        return players_per_partition(self._players, self._partitions) / self._players

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw players, each as likely as any other."""
        return rng.integers(0, self._players, size)


class HotPartition:
    """The first partition gets the multiple; within a partition all players are equally popular."""

    def __init__(self, players: int, partitions: int, multiplier: float) -> None:
        if players < partitions:
            problem = (
                f"The popularity hot-partition needs a player in each of the {partitions} "
                f"partitions, but there are {players}; use more players or a larger scale."
            )
            raise InvalidWorkload((problem,))
        self._partitions = partitions
        self._members = players_per_partition(players, partitions)
        self._shares = _hot_partition_shares(partitions, multiplier)
        self._bounds = np.cumsum(self._shares)[:-1]

    def partition_shares(self) -> NDArray[np.float64]:
        """Give the first partition its multiple, and the others equal shares of the rest."""
        return self._shares.copy()

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw a partition by its share, then one of its players."""
        partitions = np.searchsorted(self._bounds, rng.random(size), side="right")
        members = rng.integers(0, self._members[partitions])
        return members * self._partitions + partitions


def _hot_partition_shares(partitions: int, multiplier: float) -> NDArray[np.float64]:
    hot = multiplier / partitions
    others = (1 - hot) / (partitions - 1) if partitions > 1 else 0.0
    shares = np.full(partitions, others)
    shares[0] = hot
    return shares


class Zipf:
    """Few players get most requests: the player of rank r has weight r ** -exponent.

    The surprise: ranking players does not spread evenly over partitions. The partition that holds
    the first few players is hot, and how hot follows from the exponent, so the shares are computed
    here and assumed nowhere. (Zipf's law for caches: Breslau et al., INFOCOM 1999.)
    """

    def __init__(self, players: int, partitions: int, exponent: float, seed: int) -> None:
        weights = np.arange(1, players + 1, dtype=np.float64)
        np.power(weights, -exponent, out=weights)
        # 32 bits hold the players of any full-scale run in half the memory.
        kind = np.int32 if players <= np.iinfo(np.int32).max else np.int64
        self._player_of_rank = named_generator(seed, "zipf ranks").permutation(
            np.arange(players, dtype=kind)
        )
        partition_of_rank = self._player_of_rank % partitions
        shares = np.bincount(partition_of_rank, weights=weights, minlength=partitions)
        self._shares: NDArray[np.float64] = shares / shares.sum()
        self._cumulative = np.cumsum(weights, out=weights)
        self._cumulative /= self._cumulative[-1]

    def partition_shares(self) -> NDArray[np.float64]:
        """Add up the weights of each partition's players."""
        return self._shares.copy()

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw ranks by inverting the cumulative weights, and name their players."""
        ranks = np.searchsorted(self._cumulative, rng.random(size), side="right")
        return self._player_of_rank[ranks].astype(np.int64)


def make_popularity(assumptions: Assumptions, players: int, seed: int) -> Popularity:
    """Make the popularity the assumptions name, over a number of players."""
    partitions = TrafficModel(assumptions).active_partition_count
    if players < 1:
        raise InvalidWorkload((f"There must be at least 1 player; there are {players}.",))
    match assumptions.popularity:
        case "hot-partition":
            return HotPartition(players, partitions, assumptions.hot_partition_multiplier)
        case "zipf":
            return Zipf(players, partitions, assumptions.zipf_exponent, seed)
        case _:
            return Uniform(players, partitions)
