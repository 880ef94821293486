"""POST /v1/members/{member_id}/counters: what events add to a member's counters."""

from typing import ClassVar

import msgspec

from target_service.achievements.counting import Add, Count
from target_service.achievements.explain import explain_events
from target_service.achievements.messages import (
    CountAnswer,
    CounterBody,
    EventOfAMember,
    read_numbers,
)
from target_service.achievements.records import Records
from target_service.achievements.refusals import CannotBe, EventReused
from target_service.achievements.request import read_body, refuse
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.fields import is_id, normalised
from target_service.leaderboard.messages import encode
from target_service.operation import Operation
from target_service.problems import (
    BodyTooLarge,
    EventConflict,
    FieldProblem,
    ImpossibleCounters,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
)

PATH = "/v1/members/{member_id}/counters"
_decode = msgspec.json.Decoder(CounterBody).decode


class CountEvents:
    """Stores what was counted, and nothing else: it is settled when somebody looks."""

    operation: ClassVar = Operation(
        name="count",
        method="POST",
        path=PATH,
        summary="Add one event, or many, to a member's counters",
        body=CounterBody,
        answer=CountAnswer,
        problems=(
            EventConflict,
            ImpossibleCounters,
            BodyTooLarge,
            InvalidRequest,
            LedgerUnavailable,
            LedgerRequired,
        ),
    )

    def __init__(self, records: Records) -> None:
        self._records = records

    async def __call__(self, call: Call) -> Answer:
        """Answer with how many events were added; all of a request are, or none."""
        body = await call.body()
        member, given = read_body(call, "member_id", body, _decode, explain_events)
        events = [
            _add(event) for event in ([given] if isinstance(given, EventOfAMember) else given)
        ]
        if not all(is_id(event.event_id) for event in events):
            refuse(call, "member_id", body, explain_events)
        try:
            counted = await self._records.count(Count(member, events))
        except EventReused as error:
            raise EventConflict(str(error)) from error
        except CannotBe as error:
            raise impossible(error) from error
        return answer(encode(CountAnswer(*counted)))


def _add(event: EventOfAMember) -> Add:
    return Add(normalised(event.event_id), read_numbers(event))


def impossible(error: CannotBe) -> ImpossibleCounters:
    """Return the refusal that names the counters which cannot be."""
    problems = [FieldProblem(column, reason) for column, reason in error.problems]
    return ImpossibleCounters(
        "Nothing of this was stored: the counters would be impossible.", problems
    )
