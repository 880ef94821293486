"""A player's own part in a community event, from the ledger: unavailable at times, never wrong."""

import sqlite3

from target_service.odometer import tables as event_rows
from target_service.odometer.documents import PlayerV2

_PART = (
    "SELECT EXISTS (SELECT 1 FROM odometer_joins WHERE event = :event AND player = :player),"
    " coalesce(c.amount, 0), coalesce(c.races, 0), coalesce(l.amount, 0), coalesce(l.races, 0)"
    " FROM (SELECT 1) LEFT JOIN odometer_contributions c"
    "  ON c.event = :event AND c.player = :player"
    " LEFT JOIN odometer_late_contributions l ON l.event = :event AND l.player = :player"
)


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
