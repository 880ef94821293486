"""PUT /v1/events/{event_id}: make an event, or change one that has not opened."""

from collections.abc import Callable
from typing import ClassVar, Literal

from msgspec import Struct

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.lenient_json import read_leniently
from target_service.leaderboard.messages import encode
from target_service.leaderboard.rules import Id
from target_service.odometer.bookkeeping import Bookkeeping
from target_service.odometer.configuration import EventSettings, read_configuration, settings_of
from target_service.odometer.event import State
from target_service.odometer.event_path import EVENT, EVENT_PATH, read_path
from target_service.odometer.putting import Refused, put
from target_service.operation import Operation
from target_service.problems import (
    BodyTooLarge,
    EventOpened,
    FieldProblem,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    TooManyEvents,
)


class EventPut(Struct, frozen=True):
    """What became of the request, and the event as it is configured now."""

    event_id: Id
    status: Literal["made", "changed", "unchanged"]
    state: State
    settings: EventSettings


class PutEvent:
    """Makes and changes events."""

    operation: ClassVar = Operation(
        name="put_event",
        method="PUT",
        path=EVENT_PATH,
        summary="Make a community event, or change one that has not opened",
        body=EventSettings,
        answer=EventPut,
        problems=(
            EventOpened,
            TooManyEvents,
            BodyTooLarge,
            InvalidRequest,
            LedgerUnavailable,
            LedgerRequired,
        ),
    )

    def __init__(self, bookkeeping: Callable[[], Bookkeeping], now_ms: Callable[[], int]) -> None:
        self._bookkeeping = bookkeeping
        self._now_ms = now_ms

    async def __call__(self, call: Call) -> Answer:
        """Answer with the event as it is configured now."""
        (event_id,) = read_path(call, EVENT)
        try:
            wanted = read_configuration(read_leniently(await call.body()))
        except ValueError as error:
            raise InvalidRequest([FieldProblem("body", str(error))]) from error
        if isinstance(wanted, list):
            raise InvalidRequest(wanted)
        done = await self._bookkeeping().write(lambda c: put(c, event_id, wanted, self._now_ms()))
        if isinstance(done, Refused):
            raise (TooManyEvents if done.is_full else EventOpened)(done.sentence)
        event = done.event
        told = EventPut(event.id, done.what, event.state, settings_of(event.configuration))
        return answer(encode(told))
