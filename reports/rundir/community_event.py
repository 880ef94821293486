"""The community event of a run, as its scenario noted it in measurements.json."""

import msgspec

from reports.rundir.measurements import Count, Measurements


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
