"""An event that has ended, as `GET /v2/events/{event_id}` tells it."""

import json
from dataclasses import dataclass
from typing import Any

from lab.errors import UsageError


@dataclass(frozen=True)
class EndedEvent:
    """What was measured, and the tiers it was measured against, in order."""

    event_id: str
    unit: str
    total: int
    races: int
    contributors: int
    late: int
    tiers: tuple[tuple[str, int], ...]


def read_ended_event(text: str | bytes, where: str) -> EndedEvent:
    """Return the event.

    Raises:
        UsageError: the text is no event, or one that goes on.
    """
    try:
        told: dict[str, Any] = json.loads(text)
        final = told["final"]
        if final is None:
            raise UsageError(
                f"{where}: event {told['event_id']} is {told['state']}; its total is measured "
                "once it is closed."
            )
        return EndedEvent(
            str(told["event_id"]),
            str(told["aggregate"]["unit"]),
            int(final["total"]),
            int(final["races"]),
            int(final["contributors"]),
            int(told["late"]),
            tuple((str(tier["name"]), int(tier["threshold"])) for tier in told["tiers"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{where} is no event as GET /v2/events/<id> tells it ({error!r})."
        ) from None
