"""GET /v2/events/{event_id}/players/{player_id}: a player's own part, from the ledger."""

import sqlite3
from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.ledger.questions import Questions
from target_service.odometer import event_rows
from target_service.odometer.documents import PlayerV2
from target_service.odometer.event_path import EVENT, PLAYER, read_path, unknown_event
from target_service.operation import Operation
from target_service.problems import (
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    UnknownEvent,
)

_PART = (
    "SELECT EXISTS (SELECT 1 FROM odometer_joins WHERE event = :event AND player = :player),"
    " coalesce(c.amount, 0), coalesce(c.races, 0), coalesce(l.amount, 0), coalesce(l.races, 0)"
    " FROM (SELECT 1) LEFT JOIN odometer_contributions c"
    "  ON c.event = :event AND c.player = :player"
    " LEFT JOIN odometer_late_contributions l ON l.event = :event AND l.player = :player"
)


class ReadEventPlayer:
    """Reads contribution and eligibility where they were written; unavailable, never wrong."""

    operation: ClassVar = Operation(
        name="event_player",
        method="GET",
        path="/v2/events/{event_id}/players/{player_id}",
        summary="A player's contribution to a community event, and whether it earns the reward",
        answer=PlayerV2,
        problems=(UnknownEvent, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, questions: Questions) -> None:
        self._questions = questions

    async def __call__(self, call: Call) -> Answer:
        """Answer with what the ledger holds now."""
        event_id, player = read_path(call, EVENT, PLAYER)
        found = await self._questions.ask(lambda c: read_part(c, event_id, player))
        if found is None:
            raise unknown_event(event_id)
        return answer(encode(found))


def read_part(connection: sqlite3.Connection, event_id: str, player: str) -> PlayerV2 | None:
    """Return a player's part in an event; None when there is no such event."""
    event = event_rows.find(connection, event_id)
    if event is None:
        return None
    joined, counted, in_time, late, after_end = connection.execute(
        _PART, {"event": event.number, "player": player}
    ).fetchone()
    races = in_time + after_end
    is_eligible = bool(joined and races)
    return PlayerV2(
        event_id=event.id,
        player=player,
        joined=bool(joined),
        contribution=event.configuration.aggregate.kind.fold((counted, late)),
        late=late,
        unit=event.configuration.aggregate.unit,
        races=races,
        eligible=is_eligible,
        state=event.state,
        reward=event.final.tier if event.final is not None and is_eligible else None,
    )
