"""What a run with members tells of its sweep, in measurements.json under `scenario`."""

import msgspec

from reports.rundir.measurements import Count, Measurements


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
