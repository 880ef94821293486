"""An event as a client sees it, read from an answer of any version it knows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from locustfiles.event_client.errors import ServiceTrouble


@dataclass(frozen=True)
class EventState:
    """What every version tells, and what only later ones do (empty where they do not)."""

    event_id: str
    version: int
    state: str
    total: int
    tier: str | None
    as_of: datetime
    is_final: bool
    unit: str = ""
    missing: Mapping[str, int] | None = None
    capabilities: frozenset[str] = frozenset()

    def staleness_seconds(self, now: datetime) -> float:
        """How old the total is; a final one can change no more and has no age."""
        return 0.0 if self.is_final else (now - self.as_of).total_seconds()


def read_state(version: int, body: bytes) -> EventState:
    """The state in an answer of this version; fields that are not known are passed over.

    Raises:
        ServiceTrouble: something that this version promises is missing or of another type.
    """
    try:
        return _READERS[version](json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ServiceTrouble(f"The event cannot be read: {error!r}.") from error


def _read_v1(told: Mapping[str, Any]) -> EventState:
    return EventState(
        event_id=str(told["event_id"]),
        version=1,
        state=str(told["state"]),
        total=_whole(told["total"]),
        tier=told["tier"],
        as_of=datetime.fromisoformat(told["as_of"]),
        is_final=told["state"] == "closed",
    )


def _read_v2(told: Mapping[str, Any]) -> EventState:
    return EventState(
        event_id=str(told["event_id"]),
        version=2,
        state=str(told["state"]),
        total=_whole(told["total"]),
        tier=told["tier"],
        as_of=datetime.fromisoformat(told["as_of"]),
        is_final=told["final"] is not None,
        unit=str(told["aggregate"]["unit"]),
        missing={str(one["name"]): _whole(one["missing"]) for one in told["tiers"]},
        capabilities=frozenset(map(str, told["capabilities"])),
    )


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError(value)
    return value


_READERS: Mapping[int, Callable[[Mapping[str, Any]], EventState]] = {1: _read_v1, 2: _read_v2}
KNOWN_VERSIONS = frozenset(_READERS)
