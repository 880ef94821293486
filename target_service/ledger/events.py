"""What is written to the ledger, what is read from it, and the numbers it is built with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Literal

Sync = Literal["full", "normal"]


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """How much is queued, how much is kept, and how often the disk is synced.

    Args:
        sync: `full` syncs every group before it is acknowledged; `normal` may lose the last
            moments when the machine (not the process) dies, and must be labelled.
        queue_events: events waiting for the writer; what comes beyond them is refused.
        group_events: a group takes submissions until it holds this many events.
        compaction_changes, compaction_seconds: a compaction runs when this many changes wait for
            it, or the last one is this long ago. Memory holds twice as many changes at most.
        kept_seconds: how long an event id is at least remembered.
        patience_seconds: how long a writer waits for the other processes on the file.
        upkeep_seconds: how often an idle writer looks after marks, compaction and expiry.
        upkeep_rows: how many rows a slice of that work has, if the last group was not larger.
    """

    sync: Sync = "full"
    queue_events: int = 50_000
    group_events: int = 5_000
    compaction_changes: int = 200_000
    compaction_seconds: float = 5.0
    kept_seconds: float = 86_400.0
    patience_seconds: float = 5.0
    upkeep_seconds: float = 0.25
    upkeep_rows: int = 2_000


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


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's latest durable score in a season; a newer one has a greater version."""

    season: str
    board: str
    player_id: str
    score: int
    sequence: int | None
    version: int


@dataclass(frozen=True, slots=True)
class Change:
    """One applied event as a follower sees it; `old_score` is None for the player's first."""

    number: int
    season: str
    board: str
    player_id: str
    old_score: int | None
    new_score: int


@dataclass(frozen=True, slots=True)
class Unprojected:
    """What one board's projection may be missing.

    Once every standing here has been written where older versions cannot overwrite it, every
    change listed here is projected: a standing is at least as new as its player's changes.
    """

    season: str
    board: str
    changes: Sequence[int]
    standings: Sequence[Standing]


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """Where the ledger is: its identity, its change numbers and what waits to be projected."""

    ledger_id: str
    last_change: int
    folded_to: int
    trimmed_to: int
    unprojected: int
    oldest_unprojected_ms: int | None
    paused_jobs: tuple[str, ...] = ()
    trouble: str | None = None
