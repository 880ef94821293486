"""What is read from the ledger."""

from collections.abc import Sequence
from dataclasses import dataclass


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
    holds: tuple[str, ...] = ()
    trouble: str | None = None
