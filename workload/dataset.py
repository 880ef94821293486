"""The deterministic data set: who is loaded with which score, and the updates of the lab."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

PLAYER_SEED: Final = 20_260_906
HIGHEST_SCORE: Final = 10_000
LARGEST_GAIN: Final = 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A player's score on its partition, as loaded or as an update leaves it."""

    player: str
    partition: str
    score: int


@dataclass(frozen=True)
class Dataset:
    """The loaded players by index: player i has `scores[i]` and lives in `keys[i % len(keys)]`."""

    keys: tuple[str, ...]
    scores: tuple[int, ...]

    def entry(self, index: int) -> Entry:
        """Give the loaded entry of one player."""
        return Entry(player_id(index), self.keys[index % len(self.keys)], self.scores[index])

    def entries(self) -> Iterator[Entry]:
        """Give every loaded entry, in the order of the players."""
        return (self.entry(index) for index in range(len(self.scores)))


def player_id(index: int) -> str:
    """Name a player by its index."""
    return f"player-{index:05d}"


def build_dataset(players: int, keys: Sequence[str], seed: int = PLAYER_SEED) -> Dataset:
    """Draw the players' scores; the same seed gives the same data set, whatever the scale adds."""
    random = Random(seed)
    return Dataset(tuple(keys), tuple(random.randint(0, HIGHEST_SCORE) for _ in range(players)))


def build_updates(dataset: Dataset, updates: int, seed: int = PLAYER_SEED) -> tuple[Entry, ...]:
    """Draw updates that raise one score each; an entry holds the raised, absolute score."""
    random = Random(seed + 1)
    players = range(len(dataset.scores))
    scores = list(dataset.scores)
    written = []
    for _ in range(updates):
        # Player and gain in turn from one generator: the lab's known answers depend on it.
        index = random.choice(players)
        scores[index] += random.randint(1, LARGEST_GAIN)
        written.append(
            Entry(player_id(index), dataset.keys[index % len(dataset.keys)], scores[index])
        )
    return tuple(written)
