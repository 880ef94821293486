"""GET /v1/events/{event_id}, GET /v2/events/{event_id} and GET /v1/events/versions."""

from collections.abc import Callable
from typing import ClassVar

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.odometer.copies import Copy
from target_service.odometer.documents import VERSIONS, EventV1, EventV2, Versions
from target_service.odometer.event_path import EVENT, EVENT_PATH, read_path, unknown_event
from target_service.odometer.totals import Totals
from target_service.operation import Operation
from target_service.problems import (
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
    UnknownEvent,
)

_PROBLEMS = (UnknownEvent, InvalidRequest, LedgerUnavailable, LedgerRequired)


EVENT_V1 = Operation(
    name="event_v1",
    method="GET",
    path=EVENT_PATH,
    summary="A community event's total, in the shape that the first clients know",
    answer=EventV1,
    problems=_PROBLEMS,
)
EVENT_V2 = Operation(
    name="event_v2",
    method="GET",
    path="/v2/events/{event_id}",
    summary="A community event: its total, tiers, state, and how it ended",
    answer=EventV2,
    problems=_PROBLEMS,
)


class ReadEvent:
    """Answers with an event as one version tells it, put together before anybody asked."""

    def __init__(self, operation: Operation, totals: Totals, told: Callable[[Copy], bytes]) -> None:
        self.operation = operation
        self._totals = totals
        self._told = told

    async def __call__(self, call: Call) -> Answer:
        """Answer with the copy at hand."""
        (event_id,) = read_path(call, EVENT)
        copy = await self._totals.read(event_id)
        if copy is None:
            raise unknown_event(event_id)
        return answer(self._told(copy))


class ReadVersions:
    """Tells clients which versions there are, so that they need not assume."""

    operation: ClassVar = Operation(
        name="event_versions",
        method="GET",
        path="/v1/events/versions",
        summary="The versions in which an event's state is served",
        answer=Versions,
        problems=(InvalidRequest, LedgerRequired),
    )

    async def __call__(self, call: Call) -> Answer:
        """Answer with every version, oldest first."""
        read_path(call)
        return answer(encode(VERSIONS))
