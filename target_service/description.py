"""What the service says about itself, for clients that ask instead of assuming."""

from typing import Annotated, Literal

from msgspec import Meta

from target_service.http.answers import Document
from target_service.http.fields import (
    BATCH_EVENTS,
    BODY_BYTES,
    ID_CHARACTERS,
    K_RANGE,
    SCORE_LIMIT,
    SEQUENCE_LIMIT,
    WINDOW_RANGE,
)

Range = Annotated[tuple[int, ...], Meta(min_length=2, max_length=2)]


class Capabilities(Document, frozen=True):
    """What the service can do beyond storing and ranking."""

    event_dedupe: bool = False
    sequences: bool = False
    home_partition: bool = False
    versions: bool = False
    bounded_rank: bool = False
    materialised_top: bool = False
    community_events: bool = False
    achievements: bool = False


class Limits(Document, frozen=True):
    """What the service accepts; ranges include both ends."""

    k: Range = K_RANGE
    window: Range = WINDOW_RANGE
    batch_events: int = BATCH_EVENTS
    id_characters: int = ID_CHARACTERS
    score: Range = (-SCORE_LIMIT, SCORE_LIMIT)
    sequence: Range = (1, SEQUENCE_LIMIT)
    body_bytes: int = BODY_BYTES
    event_ids_kept_seconds: int | None = None
    exact_ranks_per_second: int | None = None


class RedisFacts(Document, frozen=True):
    """What the Redis server says about itself."""

    server: str
    version: str
    redis_version: str
    cluster: bool
    redis_py: str


class ServiceFacts(Document, frozen=True):
    """The versions this process runs, how many workers share the port, and what each may open."""

    version: str
    python: str
    workers: int
    open_files: int | None


class Description(Document, frozen=True):
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


class Health(Document, frozen=True):
    """The service is well."""

    status: Literal["alive", "ready"]
