"""Score events, one by one or as columns."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from target_service.leaderboard.rules import BATCH_EVENTS, Id, Name, Score, Sequence

Status = Literal["applied", "duplicate", "stale", "durable-only"]
BatchStatus = Literal["duplicate", "stale", "conflict"]
_COLUMN = Meta(min_length=1, max_length=BATCH_EVENTS)


class ScoreEvent(Struct, frozen=True, forbid_unknown_fields=True):
    """One player's new score on one board."""

    event_id: Id
    player_id: Id
    region: Name
    mode: Name
    season: Name
    score: Score
    sequence: Sequence | UnsetType = UNSET


class ScoreColumns(Struct, frozen=True, forbid_unknown_fields=True):
    """Events of one board as columns of equal length."""

    event_id: Annotated[list[Id], _COLUMN]
    player_id: Annotated[list[Id], _COLUMN]
    score: Annotated[list[Score], _COLUMN]
    sequence: Annotated[list[Sequence], _COLUMN] | UnsetType = UNSET
