"""One partition gets a multiple of the average load; the rest share what is left."""

import numpy as np
from numpy.typing import NDArray

from workload.assumptions import InvalidWorkload
from workload.popularity.contract import players_per_partition


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
        self._shares = _shares(partitions, multiplier)
        self._bounds = np.cumsum(self._shares)[:-1]

    def partition_shares(self) -> NDArray[np.float64]:
        """Give the first partition its multiple, and the others equal shares of the rest."""
        return self._shares.copy()

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Draw a partition by its share, then one of its players."""
        partitions = np.searchsorted(self._bounds, rng.random(size), side="right")
        members = rng.integers(0, self._members[partitions])
        return members * self._partitions + partitions


def _shares(partitions: int, multiplier: float) -> NDArray[np.float64]:
    hot = multiplier / partitions
    others = (1 - hot) / (partitions - 1) if partitions > 1 else 0.0
    shares = np.full(partitions, others)
    shares[0] = hot
    return shares
