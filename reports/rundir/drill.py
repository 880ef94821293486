"""drill.json: what a drill broke, what the clients saw of it, and what came of every event."""

import msgspec

from reports.rundir.measurements import Count, SecondNumber

SCHEMA_VERSION = 1


class Fault(msgspec.Struct, frozen=True):
    """One fault, in seconds of the measured phase."""

    what: str
    from_second: float
    to_second: float


class Events(msgspec.Struct, frozen=True):
    """Events told as accepted, by part of the run; those for which something does not hold."""

    accepted: Count
    lost: Count
    applied_twice: Count
    gone_backwards: Count
    accepted_loaded: Count | None = None
    accepted_warmup: Count | None = None
    accepted_measured: Count | None = None


class DrillSecond(msgspec.Struct, frozen=True):
    """The answers of one second by what they said, and the largest backlog seen in it."""

    second: SecondNumber
    writes_applied: Count = 0
    writes_durable_only: Count = 0
    writes_settled: Count = 0
    writes_failed: Count = 0
    reads_fresh: Count = 0
    reads_recovering: Count = 0
    reads_failed: Count = 0
    backlog: Count | None = None
    top_age_seconds: float | None = None


class Drill(msgspec.Struct, frozen=True):
    """One drill.json; a figure that nobody could take is None."""

    drill: str
    sentence: str
    schema_version: int = SCHEMA_VERSION
    faults: list[Fault] = []
    events: Events | None = None
    recovery_seconds: float | None = None
    writes: dict[str, Count] = {}
    reads: dict[str, Count] = {}
    reads_recovering_seconds: float | None = None
    reads_unavailable_seconds: float | None = None
    longest_wait_ms: float | None = None
    findings: list[str] = []
    seconds: list[DrillSecond] = []
