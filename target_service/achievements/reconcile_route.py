"""PUT /v1/members/{member_id}/counters: what a reconcile says the counters are."""

from typing import ClassVar

import msgspec

from target_service.achievements.count_route import PATH, impossible
from target_service.achievements.explain import explain_values
from target_service.achievements.messages import CounterValues, ReconcileAnswer, read_numbers
from target_service.achievements.records import Records
from target_service.achievements.refusals import CannotBe
from target_service.achievements.request import read_body
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.operation import Operation
from target_service.problems import (
    BodyTooLarge,
    ImpossibleCounters,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
)

_decode = msgspec.json.Decoder(CounterValues).decode


class ReconcileCounters:
    """Sets a member's counters, downwards too."""

    operation: ClassVar = Operation(
        name="reconcile",
        method="PUT",
        path=PATH,
        summary="Set a member's six counters to what they should be",
        body=CounterValues,
        answer=ReconcileAnswer,
        problems=(
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
        """Answer with the counters as they are now."""
        body = await call.body()
        member, values = read_body(call, "member_id", body, _decode, explain_values)
        try:
            await self._records.reconcile(member, read_numbers(values))
        except CannotBe as error:
            raise impossible(error) from error
        return answer(encode(ReconcileAnswer(member, values)))
