"""What scenarios add to a run: a community event, members and their sweep, a drill."""

import msgspec

from reports.rundir.measurements import Count, Measurements, SecondNumber


class Tier(msgspec.Struct, frozen=True):
    """A tier, and what became of it."""

    name: str
    threshold: Count
    status: str
    missing: Count


class Final(msgspec.Struct, frozen=True):
    """How the event ended."""

    total: Count
    races: Count
    tier: str | None
    contributors: Count
    joined: Count
    eligible: Count


class Aggregate(msgspec.Struct, frozen=True):
    """The unit of the total."""

    unit: str


class Event(msgspec.Struct, frozen=True):
    """The event as the service told it when the run had ended."""

    event_id: str
    state: str
    aggregate: Aggregate
    total: Count
    tiers: list[Tier]
    late: Count
    refresh_ms: Count
    final: Final | None = None
    late_amount: Count = 0
    late_eligible: Count = 0


class Reads(msgspec.Struct, frozen=True):
    """How often the service had answered a poll from where, at one second of the run."""

    at_second: float
    cache: float = 0
    redis: float = 0
    ledger: float = 0


class CommunityEvent(msgspec.Struct, frozen=True):
    """Everything that was noted of it; what could not be read is missing."""

    event: Event | None = None
    versions: dict[str, int] = {}
    joined: Count = 0
    reads_mode: str | None = None
    service_workers: Count | None = None
    reads: dict[str, Reads] = {}


def community_event_of(measurements: Measurements | None) -> CommunityEvent | None:
    """The run's event; None when the scenario had none, or what it noted is of no use."""
    told = (measurements.scenario if measurements else {}).get("community_event")
    if told is None:
        return None
    try:
        return msgspec.convert(told, CommunityEvent)
    except msgspec.ValidationError:
        return None


class Sweep(msgspec.Struct, frozen=True):
    """The sweep as the service told it last, and its seconds of the measured phase."""

    from_second: float
    to_second: float
    scanned: Count
    changed: Count
    unchanged: Count
    unlocked: Count
    failed: Count = 0
    ended_at: str | None = None
    seconds: float | None = None
    trouble: str | None = None


class MemberFacts(msgspec.Struct, frozen=True):
    """Who was there, and the sweep, if it ever began."""

    members: Count
    organizations: Count
    sweep: Sweep | None = None


def member_facts(measurements: Measurements | None) -> MemberFacts | None:
    """Read what the run tells; None for a run without members, or one that tells something else."""
    told = (measurements.scenario if measurements else {}).get("achievements")
    if not isinstance(told, dict):
        return None
    try:
        return msgspec.convert({**told, "sweep": told.get("sweep") or None}, MemberFacts)
    except msgspec.ValidationError:
        return None


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
