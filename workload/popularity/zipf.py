"""Few players get most requests: the player of rank r has weight r ** -exponent.

The surprise: ranking players does not spread evenly over partitions. Whichever partition holds the
first few players is hot, and how hot follows from the exponent, so the shares are computed here and
assumed nowhere. (Zipf's law for caches: Breslau et al., INFOCOM 1999.)
"""

import numpy as np
from numpy.typing import NDArray

from workload.seeding import named_generator


class Zipf:
    """Ranks the players, scatters the ranks over the partitions by the seed, samples by weight."""

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
