"""Every player is equally popular."""

import numpy as np
from numpy.typing import NDArray

from workload.popularity.contract import players_per_partition


class Uniform:
    """The default: all partitions get the same load, so only chance is left of skew."""

    def __init__(self, players: int, partitions: int) -> None:
        self._players = players
        self._partitions = partitions

    def partition_shares(self) -> NDArray[np.float64]:
        """Give each partition the share of its players."""
        return players_per_partition(self._players, self._partitions) / self._players

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw players, each as likely as any other."""
        return rng.integers(0, self._players, size)
