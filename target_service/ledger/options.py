"""The few numbers a ledger on SQLite is built with."""

from dataclasses import dataclass
from typing import Literal

Sync = Literal["full", "normal"]


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """How much is queued, how much is kept, and how often the disk is asked to be sure.

    Args:
        sync: `full` syncs every group before it is acknowledged; `normal` may lose the last
            moments when the machine (not the process) dies, and must be labelled.
        queue_events: events waiting for the writer; what comes beyond them is refused.
        group_events: a group takes submissions until it holds this many events.
        fold_changes, fold_seconds: changes are folded into the standings when there are this
            many of them, or the last fold is this long ago. Memory holds twice as many at most.
        kept_seconds: how long an event id is at least remembered.
        patience_seconds: how long a writer waits for the other processes on the file.
        upkeep_seconds: how often an idle writer looks after marks, folds and expiry.
        upkeep_rows: how many rows a slice of that work has, if the last group was not larger.
    """

    sync: Sync = "full"
    queue_events: int = 50_000
    group_events: int = 5_000
    fold_changes: int = 200_000
    fold_seconds: float = 5.0
    kept_seconds: float = 86_400.0
    patience_seconds: float = 5.0
    upkeep_seconds: float = 0.25
    upkeep_rows: int = 2_000
