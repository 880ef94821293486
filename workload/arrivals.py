"""When requests are due: a schedule that depends on its seed alone, second by second."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from workload.dataset import HIGHEST_SCORE
from workload.popularity import Popularity, named_generator

MICROSECONDS: Final = 1_000_000


@dataclass(frozen=True, eq=False)
class Arrivals:
    """The arrivals of one second, in the order they are due."""

    first_index: int
    offsets_us: NDArray[np.int64]
    players: NDArray[np.int64] | None
    scores: NDArray[np.int64] | None


@dataclass(frozen=True)
class Schedule:
    """The open-loop arrivals of one operation; second 0 starts the measured phase.

    Every second holds exactly its number of arrivals, fractions carried over, at uniformly random
    instants: a Poisson process conditioned on its count. So offered load equals the model, bursts
    stay natural, and any second can be drawn by itself, by any worker.
    """

    seed: int
    operation: str
    rate: Fraction
    popularity: Popularity | None = None
    scores: bool = False

    def second(self, second: int) -> Arrivals:
        """Draw the arrivals of one second; seconds before 0 are the warm-up."""
        first = floor(second * self.rate)
        count = floor((second + 1) * self.rate) - first
        rng = named_generator(self.seed, self.operation, second)
        # The players come last: another popularity changes who is asked for, and nothing else.
        offsets = np.sort(rng.integers(0, MICROSECONDS, count)) + second * MICROSECONDS
        scores = rng.integers(0, HIGHEST_SCORE + 1, count) if self.scores else None
        players = self.popularity.sample(rng, count) if self.popularity else None
        return Arrivals(first, offsets, players, scores)


def slice_of(arrivals: Arrivals, slices: int, index: int) -> NDArray[np.bool_]:
    """Mark the arrivals that one of several workers sends: by player if named, else in turn."""
    if not 0 <= index < slices:
        raise ValueError(f"Slice {index} is none of the {slices} slices 0 to {slices - 1}.")
    if arrivals.players is not None:
        return np.equal(arrivals.players % slices, index)
    # Python's remainder first: a negative index (warm-up) must land in 0..slices-1 as well.
    turns = np.arange(len(arrivals.offsets_us)) + arrivals.first_index % slices
    return np.equal(turns % slices, index)
