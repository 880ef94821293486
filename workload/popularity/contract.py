"""What every popularity model offers."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


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
