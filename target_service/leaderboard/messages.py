"""What the operations answer; the OpenAPI document is generated from these types."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from target_service.leaderboard.rules import K_RANGE, Count, Id, Place, Score, Timestamp


class Submitted(Struct, frozen=True):
    """What became of the event."""

    status: Literal["applied", "duplicate", "stale", "durable-only"]


class BatchCounts(Struct, frozen=True):
    """Events per status."""

    applied: Count
    duplicate: Count
    stale: Count
    conflict: Count


class NotApplied(Struct, frozen=True):
    """Indexes of the events that did not apply."""

    duplicate: list[Count]
    stale: list[Count]
    conflict: list[Count]


class BatchSubmitted(Struct, frozen=True):
    """What became of the events."""

    counts: BatchCounts
    not_applied: NotApplied


class Entry(Struct, frozen=True, gc=False):
    """A player and the score."""

    player: Id
    score: Score


class GlobalEntry(Struct, frozen=True, gc=False):
    """A player, the score, and the key it was read from."""

    player: Id
    score: Score
    partition: str


class PlacedEntry(Struct, frozen=True, gc=False):
    """A player, the score, and the ordinal place on the board."""

    player: Id
    score: Score
    position: Place


class Top(Struct, frozen=True, omit_defaults=True):
    """The first entries over all partitions of a season."""

    board: str
    season: str
    k: Annotated[int, Meta(ge=K_RANGE[0], le=K_RANGE[1])]
    entries: list[GlobalEntry]
    as_of: Timestamp
    source: Literal["live", "materialised"]
    candidates: Count
    recovering: bool = False


class PartitionTop(Struct, frozen=True, omit_defaults=True):
    """The first entries of one board."""

    board: str
    entries: list[Entry]
    as_of: Timestamp
    recovering: bool = False


class Around(Struct, frozen=True, omit_defaults=True):
    """A player's place on one board, and the entries around it."""

    board: str
    player: Id
    score: Score
    position: Place
    entries: list[PlacedEntry]
    as_of: Timestamp
    recovering: bool = False


class Rank(Struct, frozen=True, omit_defaults=True):
    """A player's global competition rank; `exact` is null when nothing can prove or refute it.

    The place on the board comes with a rank that read the boards, the number of all players with
    one that counted them.
    """

    board: str
    player: Id
    score: Score
    rank: Place
    keys_read: Count
    exact: bool | None
    max_rank_error: Count | None
    as_of: Timestamp
    board_position: Place | None = None
    total: Place | None = None
    recovering: bool = False


encode = msgspec.json.Encoder().encode
