"""An event that has ended, as `GET /v2/events/{event_id}` tells it."""

from dataclasses import dataclass
from typing import Any

from lab.errors import UsageError

_MOST = 2**53 - 1
_VERSION = 2


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


def read_ended_event(told: Any, where: str) -> EndedEvent:  # noqa: ANN401  whatever JSON holds
    """Return the event from its document.

    Raises:
        UsageError: the document is no event, one that goes on, or the event in another version.
    """
    if isinstance(told, dict) and "event_id" in told and told.get("version") != _VERSION:
        raise UsageError(
            f"{where} is the event in another version than {_VERSION}, and does not say how it "
            "ended. Name GET /v2/events/<id>, or a file of its answer."
        )
    try:
        final = told["final"]
        if final is None:
            raise UsageError(
                f"{where}: event {told['event_id']} is {told['state']}; its total is measured "
                "once it is closed."
            )
        return EndedEvent(
            str(told["event_id"]),
            str(told["aggregate"]["unit"]),
            _count(final["total"]),
            _count(final["races"]),
            _count(final["contributors"]),
            _count(told["late"]),
            tuple((str(tier["name"]), _count(tier["threshold"])) for tier in told["tiers"]),
        )
    except KeyError as error:
        problem = f"it lacks {error.args[0]}"
    except (ValueError, TypeError) as error:
        problem = str(error)
    raise UsageError(f"{where} is no event as GET /v2/events/<id> tells it: {problem}.")


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise ValueError(f"{value!r:.40} is no count")
    return value
