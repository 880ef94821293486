"""How popular each player is: one contract, one file per model, one chooser."""

from workload.assumptions import Assumptions, InvalidWorkload
from workload.model import TrafficModel
from workload.popularity.contract import Popularity
from workload.popularity.hot_partition import HotPartition
from workload.popularity.uniform import Uniform
from workload.popularity.zipf import Zipf

__all__ = ["Popularity", "make_popularity"]


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
