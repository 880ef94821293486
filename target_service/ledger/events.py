"""What is written to the ledger, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

BATCH_EVENTS = 5_000


@dataclass(frozen=True, slots=True)
class Board:
    """A partition of a season; a player is at home on one board of each season."""

    season: str
    name: str


@dataclass(frozen=True, slots=True)
class Event:
    """One score of one player, absolute, with the sequence its sender gave it, if any."""

    event_id: str
    player_id: str
    board: Board
    score: int
    sequence: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Events of one board as columns of equal length; they count in the order given."""

    board: Board
    event_ids: Sequence[str]
    player_ids: Sequence[str]
    scores: Sequence[int]
    sequences: Sequence[int | None] | None = None

    def __post_init__(self) -> None:
        count = len(self.event_ids)
        columns = (self.player_ids, self.scores, self.sequences)
        if any(column is not None and len(column) != count for column in columns):
            raise ValueError("The columns of a batch must have the same length.")
        if not 1 <= count <= BATCH_EVENTS:
            raise ValueError(f"A batch holds 1 to {BATCH_EVENTS:,} events, not {count:,}.")

    def __len__(self) -> int:
        return len(self.event_ids)


class Status(StrEnum):
    """What became of an event."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    OTHER_PARTITION = "other-partition"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one event; `version` is the player's new version when it was applied."""

    status: Status
    version: int | None = None


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What became of each event of a batch.

    The events that applied, in the order given, have the consecutive numbers in `versions`;
    the others are listed by index under what became of them.
    """

    versions: range
    duplicate: list[int] = field(default_factory=list)
    conflict: list[int] = field(default_factory=list)
    other_partition: list[int] = field(default_factory=list)
    stale: list[int] = field(default_factory=list)

    def applied(self) -> Sequence[int]:
        """The indexes of the events that applied; `versions` goes beside them."""
        refused = {*chain(self.duplicate, self.conflict, self.other_partition, self.stale)}
        every = range(len(self.versions) + len(refused))
        return [index for index in every if index not in refused] if refused else every

    def single(self) -> Outcome:
        """The outcome of a batch of one."""
        if self.versions:
            return Outcome(Status.APPLIED, self.versions.start)
        if self.duplicate:
            return Outcome(Status.DUPLICATE)
        if self.conflict:
            return Outcome(Status.CONFLICT)
        return Outcome(Status.OTHER_PARTITION if self.other_partition else Status.STALE)
