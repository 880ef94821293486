"""What the service says about itself, for clients that ask instead of assuming."""

from typing import Literal

from msgspec import Struct

from target_service.leaderboard.rules import (
    BATCH_EVENTS,
    BODY_BYTES,
    ID_CHARACTERS,
    K_RANGE,
    SCORE_LIMIT,
    SEQUENCE_LIMIT,
    WINDOW_RANGE,
)


class Capabilities(Struct, frozen=True):
    """What the service can do beyond storing and ranking."""

    event_dedupe: bool = False
    sequences: bool = False
    home_partition: bool = False
    versions: bool = False
    bounded_rank: bool = False
    materialised_top: bool = False
    community_events: bool = False
    achievements: bool = False


class Limits(Struct, frozen=True):
    """What the service accepts; ranges include both ends."""

    k: tuple[int, int] = K_RANGE
    window: tuple[int, int] = WINDOW_RANGE
    batch_events: int = BATCH_EVENTS
    id_characters: int = ID_CHARACTERS
    score: tuple[int, int] = (-SCORE_LIMIT, SCORE_LIMIT)
    sequence: tuple[int, int] = (1, SEQUENCE_LIMIT)
    body_bytes: int = BODY_BYTES
    event_ids_kept_seconds: int | None = None
    exact_ranks_per_second: int | None = None


class RedisFacts(Struct, frozen=True):
    """What the Redis server says about itself."""

    server: str
    version: str
    redis_version: str
    cluster: bool
    redis_py: str


class ServiceFacts(Struct, frozen=True):
    """The versions this process runs, how many workers share the port, and what each may open."""

    version: str
    python: str
    workers: int
    open_files: int | None


class Description(Struct, frozen=True):
    """The service, its boards and its limits."""

    mode: Literal["naive", "partitioned"]
    ledger: Literal["sqlite", "none"]
    ledger_sync: Literal["full", "normal"] | None
    odometer_reads: Literal["projected", "direct"] | None
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
