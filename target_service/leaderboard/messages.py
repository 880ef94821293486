"""What requests and answers look like; the OpenAPI document is generated from these types."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

SCORE_LIMIT = 2**53 - 1
ID_CHARACTERS = 64
BATCH_EVENTS = 5_000
# A batch of 5,000 events with ids of 64 characters, every one escaped, just fits.
BODY_BYTES = 8 * 1024 * 1024
K_RANGE = (1, 1000)
WINDOW_RANGE = (1, 50)

_ID_SCHEMA: dict[str, Any] = {
    "minLength": 1,
    "maxLength": ID_CHARACTERS,
    "pattern": r"^[^\u0000-\u001f\u007f-\u009f/\ud800-\udfff]+$",
}
Id = Annotated[
    str,
    Meta(
        description="Normalised to Unicode NFC, then 1 to 64 characters, "
        "without control characters and '/'.",
        extra_json_schema=_ID_SCHEMA,
    ),
]
Name = Annotated[str, Meta(extra_json_schema={"pattern": "^[a-z0-9-]{1,32}$"})]
Score = Annotated[int, Meta(ge=-SCORE_LIMIT, le=SCORE_LIMIT)]
Sequence = Annotated[int, Meta(ge=1, le=SCORE_LIMIT)]
Count = Annotated[int, Meta(ge=0)]
Place = Annotated[int, Meta(ge=1)]
Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
_COLUMN = Meta(min_length=1, max_length=BATCH_EVENTS)
Status = Literal["applied", "duplicate", "stale", "conflict"]


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


class Submitted(Struct, frozen=True):
    """What became of the event."""

    status: Literal["applied"]


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


class Entry(Struct, frozen=True):
    """A player and the score."""

    player: str
    score: Score


class GlobalEntry(Struct, frozen=True):
    """A player, the score, and the key it was read from."""

    player: str
    score: Score
    partition: str


class PlacedEntry(Struct, frozen=True):
    """A player, the score, and the ordinal place on the board."""

    player: str
    score: Score
    position: Place


class Top(Struct, frozen=True):
    """The first entries over all partitions of a season."""

    board: str
    season: str
    k: Annotated[int, Meta(ge=K_RANGE[0], le=K_RANGE[1])]
    entries: list[GlobalEntry]
    as_of: Timestamp
    source: Literal["live"]
    candidates: Count


class PartitionTop(Struct, frozen=True):
    """The first entries of one board."""

    board: str
    entries: list[Entry]
    as_of: Timestamp


class Around(Struct, frozen=True):
    """A player's place on one board, and the entries around it."""

    board: str
    player: str
    score: Score
    position: Place
    entries: list[PlacedEntry]
    as_of: Timestamp


class Rank(Struct, frozen=True):
    """A player's global competition rank."""

    board: str
    player: str
    score: Score
    rank: Place
    board_position: Place
    keys_read: Place
    exact: bool | None
    max_rank_error: Count | None
    as_of: Timestamp


class Capabilities(Struct, frozen=True):
    """What the service can do beyond storing and ranking."""

    event_dedupe: bool = False
    sequences: bool = False
    home_partition: bool = False
    versions: bool = False
    bounded_rank: bool = False
    materialised_top: bool = False


class Limits(Struct, frozen=True):
    """What the service accepts; ranges include both ends."""

    k: tuple[int, int] = K_RANGE
    window: tuple[int, int] = WINDOW_RANGE
    batch_events: int = BATCH_EVENTS
    id_characters: int = ID_CHARACTERS
    score: tuple[int, int] = (-SCORE_LIMIT, SCORE_LIMIT)
    sequence: tuple[int, int] = (1, SCORE_LIMIT)
    body_bytes: int = BODY_BYTES


class RedisFacts(Struct, frozen=True):
    """What the Redis server says about itself."""

    server: str
    version: str
    redis_version: str
    cluster: bool
    redis_py: str


class ServiceFacts(Struct, frozen=True):
    """What the service says about itself."""

    version: str
    python: str
    workers: int


class Description(Struct, frozen=True):
    """The service, its boards and its limits."""

    mode: Literal["naive", "partitioned"]
    ledger: Literal["none"]
    season: str | None
    regions: tuple[str, ...]
    modes: tuple[str, ...]
    seasons: tuple[str, ...]
    partitions: list[str]
    keys: list[str]
    boards: dict[str, str]
    capabilities: Capabilities
    limits: Limits
    redis: RedisFacts | None
    service: ServiceFacts


class Health(Struct, frozen=True):
    """The service is well."""

    status: Literal["alive", "ready"]


encode = msgspec.json.Encoder().encode
