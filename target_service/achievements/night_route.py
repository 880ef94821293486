"""POST /v1/reconciles/{night}: a night's reconcile is complete."""

from datetime import date
from typing import ClassVar

from target_service.achievements.messages import NightAnswer
from target_service.achievements.nights import Nights
from target_service.achievements.records import Records
from target_service.achievements.request import NAMED
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.moments import rfc3339
from target_service.operation import Operation
from target_service.problems import (
    FieldProblem,
    InvalidRequest,
    LedgerRequired,
    LedgerUnavailable,
)
from target_service.query import read_query

_RULE = "must be the date of the night's sweep, such as 2026-09-06, from the year 2000 on"
_FIRST = date(2000, 1, 1)
_LAST = date(9000, 1, 1)


class CompleteReconcile:
    """Takes the word that a night's counters are what they should be."""

    operation: ClassVar = Operation(
        name="reconcile_complete",
        method="POST",
        path="/v1/reconciles/{night}",
        summary="Say that the reconcile of a night is complete, so that its sweep may run",
        answer=NightAnswer,
        problems=(InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, records: Records, nights: Nights) -> None:
        self._records = records
        self._nights = nights

    async def __call__(self, call: Call) -> Answer:
        """Answer with when that was said, and when the sweep is due."""
        night = _read_night(call.segments[NAMED])
        _, problems = read_query(call.query, {})
        if night is None:
            problems.insert(0, FieldProblem("night", _RULE))
        if night is None or problems:
            raise InvalidRequest(problems)
        said_ms = await self._records.complete_night(night.isoformat())
        in_time = self._nights.is_word_for(night, said_ms)
        sweep_at = rfc3339(self._nights.sweep_ms(night))
        return answer(encode(NightAnswer(night.isoformat(), rfc3339(said_ms), sweep_at, in_time)))


def _read_night(segment: bytes) -> date | None:
    try:
        night = date.fromisoformat(segment.decode("ascii"))
    except ValueError:
        return None
    # Python reads other forms of ISO 8601 too; a night has one name.
    is_plain = night.isoformat() == segment.decode()
    return night if is_plain and _FIRST <= night <= _LAST else None
