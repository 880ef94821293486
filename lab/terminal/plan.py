"""What the terminal lab sends: a fixed data set, fixed updates and fixed reads."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
