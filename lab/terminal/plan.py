"""What the terminal lab sends, and the truth it is held against."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Final

from workload.assumptions import Assumptions
from workload.dataset import PLAYER_SEED, Dataset, Entry, build_dataset, build_updates
from workload.model import partition_keys

PLAYERS: Final = 12_000
UPDATES: Final = 3_000
READ_SAMPLES: Final = 120
TOP_K: Final = 10
WINDOW: Final = 2
TARGET_INDEX: Final = 42
_EVERY_TOP_READ: Final = 4
_BATCH: Final = 1_000


@dataclass(frozen=True)
class Plan:
    """The same requests for every mode; a read without a player asks for the top."""

    dataset: Dataset
    updates: tuple[Entry, ...]
    reads: tuple[Entry | None, ...]
    target: Entry

    def batches(self) -> Iterator[Sequence[Entry]]:
        """Group the loaded players by partition, in batches the service takes."""
        partitions: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.dataset.entries():
            partitions[entry.partition].append(entry)
        for entries in partitions.values():
            for start in range(0, len(entries), _BATCH):
                yield entries[start : start + _BATCH]

    def sample(self) -> tuple[Entry, ...]:
        """The players whose places are checked: the target first, then those the reads name."""
        return (self.target, *(entry for entry in self.reads if entry))

    def writes_per_partition(self) -> Mapping[str, int]:
        """Count the updates by the partition they belong to."""
        return Counter(update.partition for update in self.updates)


def make_plan(assumptions: Assumptions) -> Plan:
    """Draw the plan; only the names of the partitions depend on the assumptions."""
    dataset = build_dataset(PLAYERS, partition_keys(assumptions))
    random = Random(PLAYER_SEED + 2)
    reads = [
        None if sample % _EVERY_TOP_READ == 0 else dataset.entry(random.randrange(PLAYERS))
        for sample in range(READ_SAMPLES)
    ]
    updates = build_updates(dataset, UPDATES)
    return Plan(dataset, updates, tuple(reads), dataset.entry(TARGET_INDEX))


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


@dataclass(frozen=True)
class Answers:
    """What the partitioned report shows and no machine may change."""

    hottest_share: str
    candidates: int
    fan_out: int
    score: int
    rank: int
    around: str


KNOWN: Final = Answers(
    hottest_share="10.0%",
    candidates=120,
    fan_out=12,
    score=660,
    rank=11_208,
    around="[('player-05370', 679.0), ('player-11778', 662.0), ('player-00042', 660.0), "
    "('player-00318', 622.0), ('player-08406', 619.0)]",
)


def differences(found: Answers, known: Answers) -> Iterator[str]:
    """Name every answer that is not the known one."""
    for field in fields(Answers):
        answer, wanted = getattr(found, field.name), getattr(known, field.name)
        if answer != wanted:
            yield f"{field.name.replace('_', ' ')} is {answer}, known is {wanted}"
