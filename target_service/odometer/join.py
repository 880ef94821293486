"""POST /v1/events/{event_id}/players/{player_id}/join: a player takes part."""

from typing import ClassVar, Literal

from msgspec import Struct

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.leaderboard.rules import Id
from target_service.moments import rfc3339
from target_service.odometer.event_path import EVENT, EVENT_PATH, PLAYER, read_path, unknown_event
from target_service.odometer.intake import Intake
from target_service.odometer.rules import Moment
from target_service.operation import Operation
from target_service.problems import (
    EventOver,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    UnknownEvent,
)


class PlayerJoined(Struct, frozen=True):
    """Since when the player takes part, and whether that is news."""

    event_id: Id
    player: Id
    status: Literal["joined", "already_joined"]
    joined_at: Moment


class JoinEvent:
    """Lets players join until the window closes; races count with or without."""

    operation: ClassVar = Operation(
        name="join",
        method="POST",
        path=EVENT_PATH + "/players/{player_id}/join",
        summary="Let a player take part in a community event",
        answer=PlayerJoined,
        problems=(UnknownEvent, EventOver, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    async def __call__(self, call: Call) -> Answer:
        """Answer with the moment the player joined."""
        event_id, player = read_path(call, EVENT, PLAYER)
        event = await self._intake.event(event_id)
        if event is None:
            raise unknown_event(event_id)
        joined = await self._intake.join(event, player)
        if joined.at_ms is None:
            raise EventOver(f"The window of event {event_id} has closed; nobody joins any more.")
        status: Literal["joined", "already_joined"] = (
            "joined" if joined.is_new else "already_joined"
        )
        return answer(encode(PlayerJoined(event_id, player, status, rfc3339(joined.at_ms))))
