"""A running service and what one does with its community events."""

import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from durable_service import Durable
from odometer_events import settings

HOUR_MS = 3_600_000


@dataclass(frozen=True)
class EventService:
    """A service with a ledger; each test makes an event of its own."""

    durable: Durable

    def make(self, **changed: object) -> str:
        """Make an event that is open for an hour, unless changed; return its id."""
        event_id = uuid4().hex
        at_ms = now_ms()
        body = settings(at_ms - HOUR_MS, at_ms + HOUR_MS) | changed
        answer = self.durable.http.put(f"/v1/events/{event_id}", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json()["status"] == "made"
        return event_id

    def get(self, path: str) -> dict[str, Any]:
        """Return what a path answers."""
        answer = self.durable.http.get(path)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told


def now_ms() -> int:
    """The present moment."""
    return time.time_ns() // 1_000_000
