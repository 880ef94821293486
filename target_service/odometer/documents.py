"""What clients are told of an event, in every version that is served."""

from typing import Literal

import msgspec

from target_service.http.answers import Count, Document, Timestamp
from target_service.odometer.event import Event, Final, Kind, State, TierState, reached, states
from target_service.timestamps import rfc3339

CAPABILITIES = ("aggregate", "contribution", "eligibility", "final", "grace", "tiers")


class EventV1(Document, frozen=True):
    """An event as the first clients know it; this shape never changes."""

    event_id: str
    state: Literal["scheduled", "open", "closed"]
    opens_at: Timestamp
    closes_at: Timestamp
    total: Count
    tier: str | None
    as_of: Timestamp


class FinalV2(Document, frozen=True):
    """How the event ended, at a change number of the lake."""

    total: Count
    races: Count
    tier: str | None
    contributors: Count
    joined: Count
    eligible: Count
    change: Count
    closed_at: Timestamp


class AggregateV2(Document, frozen=True):
    """The field of a race that counts, how, and the unit of its whole numbers."""

    field: str
    kind: Kind
    unit: str


class EventV2(Document, frozen=True):
    """An event: its total and tiers as of a moment, and how it ended once it has.

    Races that came after the end are `late`: they left total and tier alone, were worth
    `late_amount` to their players, and made `late_eligible` more of them eligible.
    """

    event_id: str
    version: Literal[2]
    capabilities: tuple[str, ...]
    state: State
    aggregate: AggregateV2
    opens_at: Timestamp
    closes_at: Timestamp
    grace_seconds: Count
    total: Count
    races: Count
    tier: str | None
    tiers: list[TierState]
    late: Count
    late_amount: Count
    late_eligible: Count
    final: FinalV2 | None
    as_of: Timestamp
    refresh_ms: Count


class PlayerV2(Document, frozen=True):
    """A player's part in an event, as the ledger has it; `reward` is known once it has ended.

    `late` is what of the contribution came after the end, and is not in the event's total.
    """

    event_id: str
    player: str
    joined: bool
    contribution: Count
    late: Count
    unit: str
    races: Count
    eligible: bool
    state: State
    reward: str | None


class Version(Document, frozen=True):
    """One version of the event's state and where it is served."""

    version: int
    path: str


class Versions(Document, frozen=True):
    """Every version of the event's state that is served, oldest first."""

    versions: list[Version]
    newest: int


VERSIONS = Versions([Version(1, "/v1/events/{event_id}"), Version(2, "/v2/events/{event_id}")], 2)
_encode = msgspec.json.Encoder().encode


def v1(event: Event, as_of_ms: int) -> bytes:
    """Return the event for the first clients.

    They know of no grace: to them an event is open until its result is final.
    """
    configuration = event.configuration
    state: Literal["scheduled", "open", "closed"] = "open"
    if event.state is State.SCHEDULED:
        state = "scheduled"
    elif event.state is State.CLOSED:
        state = "closed"
    return _encode(
        EventV1(
            event.id,
            state,
            rfc3339(configuration.opens_at_ms),
            rfc3339(configuration.closes_at_ms),
            _total(event),
            _tier(event),
            rfc3339(as_of_ms),
        )
    )


def v2(event: Event, as_of_ms: int) -> bytes:
    """Return the event for present clients."""
    configuration = event.configuration
    aggregate = configuration.aggregate
    return _encode(
        EventV2(
            event_id=event.id,
            version=2,
            capabilities=CAPABILITIES,
            state=event.state,
            aggregate=AggregateV2(aggregate.field, aggregate.kind, aggregate.unit),
            opens_at=rfc3339(configuration.opens_at_ms),
            closes_at=rfc3339(configuration.closes_at_ms),
            grace_seconds=configuration.grace_seconds,
            total=_total(event),
            races=event.races if event.final is None else event.final.races,
            tier=_tier(event),
            tiers=states(_total(event), configuration.tiers),
            late=event.late,
            late_amount=event.late_amount,
            late_eligible=event.late_eligible,
            final=None if event.final is None else _final(event.final),
            as_of=rfc3339(as_of_ms),
            refresh_ms=configuration.refresh_ms,
        )
    )


def _final(final: Final) -> FinalV2:
    return FinalV2(
        final.total,
        final.races,
        final.tier,
        final.contributors,
        final.joined,
        final.eligible,
        final.change,
        rfc3339(final.closed_at_ms),
    )


def _total(event: Event) -> int:
    return event.total if event.final is None else event.final.total


def _tier(event: Event) -> str | None:
    """Return the tier: the one of the end once there is one, whatever came later."""
    if event.final is not None:
        return event.final.tier
    return reached(event.total, event.configuration.tiers)
