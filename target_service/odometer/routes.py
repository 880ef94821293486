"""The routes of community events: made, joined, raced for and read."""

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import FastAPI
from pydantic import AfterValidator, BaseModel
from pydantic_core import PydanticCustomError

from target_service.http.answers import Answer, Count, Document, Timestamp, answer
from target_service.http.fields import BadFields, Id
from target_service.http.problems import (
    OF_A_BODY,
    EventOpened,
    EventOver,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    TooManyEvents,
    UnknownEvent,
    refusals,
)
from target_service.odometer.configuration import (
    RESERVED_ID,
    EventSettings,
    configuration_of,
    settings_of,
)
from target_service.odometer.deliveries import Outcome
from target_service.odometer.documents import VERSIONS, EventV1, EventV2, PlayerV2, Versions
from target_service.odometer.event import State
from target_service.odometer.odometer import Odometer
from target_service.odometer.player import read_part
from target_service.odometer.putting import Refused, put
from target_service.odometer.race import Races, completed
from target_service.odometer.totals import Copy
from target_service.timestamps import rfc3339

EVENT_PATH = "/v1/events/{event_id}"
_OF_ALL = (InvalidRequest, LedgerUnavailable, LedgerRequired)


def _not_reserved(event_id: str) -> str:
    if event_id == RESERVED_ID:
        raise PydanticCustomError("reserved", f"cannot be {RESERVED_ID}; choose another id")
    return event_id


EventId = Annotated[Id, AfterValidator(_not_reserved)]


class EventPut(BaseModel):
    """What became of the request, and the event as it is configured now."""

    event_id: str
    status: Literal["made", "changed", "unchanged"]
    state: State
    settings: EventSettings


class PlayerJoined(Document, frozen=True):
    """Since when the player takes part, and whether that is news."""

    event_id: str
    player: str
    status: Literal["joined", "already_joined"]
    joined_at: Timestamp


class RaceCounts(Document, frozen=True):
    """Deliveries by what became of them; all of them are in the lake."""

    counted: Count
    duplicate: Count
    conflict: Count
    outside: Count
    late: Count


class RacesNotCounted(Document, frozen=True):
    """Indexes of the deliveries that did not count."""

    duplicate: list[Count]
    conflict: list[Count]
    outside: list[Count]
    late: list[Count]


class RacesTaken(Document, frozen=True):
    """What became of the deliveries."""

    counts: RaceCounts
    not_counted: RacesNotCounted


def add_event_routes(app: FastAPI, odometer: Odometer) -> None:
    """Serve the community events."""
    add_event_reads(app, odometer)
    add_event_writes(app, odometer)


def add_event_reads(app: FastAPI, odometer: Odometer) -> None:
    """Serve the state; the path of the reserved id stands before the one it would fit."""

    @app.get(
        "/v1/events/versions",
        name="event_versions",
        summary="The versions in which an event's state is served",
        responses=refusals(InvalidRequest, LedgerRequired),
    )
    async def event_versions() -> Versions:
        return VERSIONS

    @app.get(
        EVENT_PATH,
        name="event_v1",
        summary="A community event's total, in the shape that the first clients know",
        response_model=EventV1,
        responses=refusals(UnknownEvent, *_OF_ALL),
    )
    async def event_v1(event_id: EventId) -> Answer:
        return answer((await copy_of(event_id)).v1)

    @app.get(
        "/v2/events/{event_id}",
        name="event_v2",
        summary="A community event: its total, tiers, state, and how it ended",
        response_model=EventV2,
        responses=refusals(UnknownEvent, *_OF_ALL),
    )
    async def event_v2(event_id: EventId) -> Answer:
        return answer((await copy_of(event_id)).v2)

    async def copy_of(event_id: str) -> Copy:
        copy = await odometer.totals.read(event_id)
        if copy is None:
            raise unknown_event(event_id)
        return copy

    @app.get(
        "/v2/events/{event_id}/players/{player_id}",
        name="event_player",
        summary="A player's contribution to a community event, and whether it earns the reward",
        responses=refusals(UnknownEvent, *_OF_ALL),
    )
    async def event_player(event_id: EventId, player_id: Id) -> PlayerV2:
        found = await odometer.questions.ask(lambda c: read_part(c, event_id, player_id))
        if found is None:
            raise unknown_event(event_id)
        return found


def add_event_writes(app: FastAPI, odometer: Odometer) -> None:
    """Serve what is delivered, who joins, and how an event is made."""

    @app.post(
        "/v1/races",
        name="races",
        summary="Deliver completed races, one or many; sending them again changes nothing",
        responses=refusals(*OF_A_BODY, *_OF_ALL),
    )
    async def races(deliveries: Races) -> RacesTaken:
        try:
            return taken(await odometer.intake.take(completed(deliveries), "http"))
        except BadFields as error:
            raise InvalidRequest(error.problems) from error

    @app.post(
        EVENT_PATH + "/players/{player_id}/join",
        name="join",
        summary="Let a player take part in a community event",
        responses=refusals(UnknownEvent, EventOver, *_OF_ALL),
    )
    async def join(event_id: EventId, player_id: Id) -> PlayerJoined:
        event = await odometer.intake.event(event_id)
        if event is None:
            raise unknown_event(event_id)
        joined = await odometer.intake.join(event, player_id)
        if joined.at_ms is None:
            raise EventOver(f"The window of event {event_id} has closed; nobody joins any more.")
        status: Literal["joined", "already_joined"] = (
            "joined" if joined.is_new else "already_joined"
        )
        return PlayerJoined(event_id, player_id, status, rfc3339(joined.at_ms))

    @app.put(
        EVENT_PATH,
        name="put_event",
        summary="Make a community event, or change one that has not opened",
        responses=refusals(EventOpened, TooManyEvents, *OF_A_BODY, *_OF_ALL),
    )
    async def put_event(event_id: EventId, settings: EventSettings) -> EventPut:
        wanted = configuration_of(settings)
        done = await odometer.bookkeeping.write(
            lambda c: put(c, event_id, wanted, odometer.now_ms())
        )
        if isinstance(done, Refused):
            raise (TooManyEvents if done.is_full else EventOpened)(done.sentence)
        event = done.event
        return EventPut(
            event_id=event.id,
            status=done.what,
            state=event.state,
            settings=settings_of(event.configuration),
        )


def taken(outcomes: Sequence[Outcome]) -> RacesTaken:
    """Return the counts of the outcomes, and where those that did not count were."""
    counts = Counter(outcomes)
    indexes: dict[str, list[int]] = {one.value: [] for one in Outcome}
    if len(counts) > 1 or Outcome.COUNTED not in counts:
        for index, outcome in enumerate(outcomes):
            indexes[outcome.value].append(index)
    del indexes[Outcome.COUNTED.value]
    return RacesTaken(
        RaceCounts(**{one.value: counts[one] for one in Outcome}), RacesNotCounted(**indexes)
    )


def unknown_event(event_id: str) -> UnknownEvent:
    """Return the refusal of an event that was never made."""
    return UnknownEvent(f"There is no event {event_id}; PUT /v1/events/{{event_id}} makes one.")
