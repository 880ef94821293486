"""measurements.json: what the load generator counted, before anything is derived."""

from typing import Annotated, Any

import msgspec

from reports.numbers.histogram import Histogram
from reports.rundir.facts import LONGEST_SECONDS

# What every JSON reader can tell apart, and any counter of a run stays below.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
SecondNumber = Annotated[int, msgspec.Meta(ge=0, le=2 * LONGEST_SECONDS)]
EMPTY = Histogram({})


def histogram_hook(kind: type, value: object) -> Histogram:
    """Read a histogram where msgspec meets one."""
    if kind is not Histogram:
        raise NotImplementedError(kind)
    return Histogram.from_json(value)


class Generator(msgspec.Struct, frozen=True):
    """One load-generating process: its slice, its CPU use, and whether it was heard at the end."""

    slice: int
    cpu_ratio: float | None = None
    reported: bool = True


class Failure(msgspec.Struct, frozen=True):
    """One kind of failure of one operation."""

    kind: str
    count: Count
    first_second: int | None = None
    last_second: int | None = None


class Second(msgspec.Struct, frozen=True):
    """One second of one operation, by intended start; completed alone is by arrival."""

    second: SecondNumber
    offered: Count = 0
    sent: Count = 0
    dropped: Count = 0
    ok: Count = 0
    failed: Count = 0
    completed: Count = 0
    response_us: Histogram = EMPTY


class Population(msgspec.Struct, frozen=True):
    """The counts over warm-up, measured phase and drain together."""

    offered: Count = 0
    sent: Count = 0
    dropped: Count = 0
    ok: Count = 0
    failed: Count = 0
    unknown: Count = 0
    statuses: dict[str, Count] = {}


class Operation(msgspec.Struct, frozen=True):
    """One operation's requests whose intended start lies in the measured phase."""

    offered: Count
    sent: Count
    dropped: Count
    completed: Count
    ok: Count
    failed: Count
    achieved: Count
    response_us: Histogram
    service_us: Histogram
    failed_response_us: Histogram = EMPTY
    age_us: Histogram = EMPTY
    overflow: Count = 0
    failures: list[Failure] = []
    seconds: list[Second] = []
    all: Population | None = None


class Counters(msgspec.Struct, frozen=True):
    """One key's cumulative counters for one op, as the service exposes them."""

    hits: Count
    buckets: list[tuple[float | str, Count]] = []
    sum: float = 0.0
    members_written: Count = 0


class KeyCounters(msgspec.Struct, frozen=True):
    """One key's counters at one instant, and how many players it ranked."""

    read: Counters | None = None
    write: Counters | None = None
    members: Count | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """Every key's counters at one instant, and how long the ledger's commits took until then."""

    at_second: float
    keys: dict[str, KeyCounters]
    ledger_buckets: list[tuple[float | str, Count]] = []


class KeySecond(msgspec.Struct, frozen=True):
    """Hits per key and op during one second."""

    second: SecondNumber
    hits: dict[str, dict[str, Count]]


class Keys(msgspec.Struct, frozen=True):
    """The per-key counters around and during the measured phase, or why there are none."""

    reason: str | None = None
    start: Snapshot | None = None
    end: Snapshot | None = None
    seconds: list[KeySecond] = []


class Settled(msgspec.Struct, frozen=True):
    """How much of seconds.jsonl belongs to these measurements: seconds that are not in here."""

    bytes: Count = 0
    until: SecondNumber = 0


class Shard(msgspec.Struct, frozen=True):
    """One Redis process of a cluster: the board keys it serves and the CPU time it took."""

    shard: str
    keys: list[str]
    cpu_seconds: float | None = None


class Measurements(msgspec.Struct, frozen=True):
    """One measurements.json."""

    ended: str
    operations: dict[str, Operation]
    schema_version: int = 1
    end_reason: str | None = None
    generators: list[Generator] = []
    expected_workers: Count | None = None
    lateness_us: Histogram = EMPTY
    loading: dict[str, Any] | None = None
    keys: Keys = Keys(reason="no per-key counters were written")
    settled: Settled = Settled()
    shards: list[Shard] = []
    scenario: dict[str, Any] = {}
