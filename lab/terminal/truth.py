"""The ranking computed in memory from the plan, to hold the service's answers against."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.terminal.plan import Plan
from workload.dataset import Dataset, Entry

# A player and its score, as the service and the truth both name it.
Standing = tuple[str, int]


@dataclass(frozen=True)
class Place:
    """Where one player stands: its score, its rank among all, and its page of neighbours."""

    player: str
    score: int
    rank: int
    around: tuple[Standing, ...]


@dataclass(frozen=True)
class Truth:
    """Every player's score by partition, once all updates are written."""

    partitions: Mapping[str, Mapping[str, int]]

    def top(self, count: int) -> tuple[Standing, ...]:
        """The best of all partitions: score descending, then player descending."""
        everybody = [one for scores in self.partitions.values() for one in scores.items()]
        return tuple(_ranked(everybody)[:count])

    def competition_rank(self, score: int) -> int:
        """One more than the players with a strictly greater score, in all partitions."""
        scores = (one for players in self.partitions.values() for one in players.values())
        return 1 + sum(one > score for one in scores)

    def around(self, partition: str, player: str, window: int) -> tuple[Standing, ...]:
        """The page around a player: shifted at the edges, never shortened."""
        ranked = _ranked(list(self.partitions[partition].items()))
        place = [name for name, _ in ranked].index(player)
        size = 2 * window + 1
        first = max(0, min(place - window, len(ranked) - size))
        return tuple(ranked[first : first + size])

    def place(self, partition: str, player: str, window: int) -> Place:
        """All that the service can be asked about one player."""
        score = self.partitions[partition][player]
        page = self.around(partition, player, window)
        return Place(player, score, self.competition_rank(score), page)


def truth_of(plan: Plan) -> Truth:
    """Apply the plan's updates to its data set."""
    return truth_after(plan.dataset, plan.updates)


def truth_after(dataset: Dataset, writes: Iterable[Entry]) -> Truth:
    """Apply writes, in order, to a data set."""
    partitions: dict[str, dict[str, int]] = {key: {} for key in dataset.keys}
    for entry in (*dataset.entries(), *writes):
        partitions[entry.partition][entry.player] = entry.score
    return Truth(partitions)


def _ranked(standings: list[Standing]) -> list[Standing]:
    return sorted(standings, key=lambda one: (one[1], one[0]), reverse=True)
