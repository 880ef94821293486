"""POST /v1/sweeps and GET /v1/sweeps/{sweep}: a sweep by hand, and what became of one."""

import re
from typing import ClassVar

from target_service.achievements.messages import SWEEP_DIGITS, SweepAnswer
from target_service.achievements.records import Records
from target_service.achievements.request import NAMED
from target_service.achievements.scheduler import Scheduler
from target_service.achievements.sweeps import SweepRow
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
    SweepUnderWay,
    UnknownSweep,
)
from target_service.query import read_query

_RULE = f"must be the number of a sweep, an integer of at most {SWEEP_DIGITS} digits, from 1 on"
_is_number = re.compile(rb"[1-9][0-9]{0,%d}" % (SWEEP_DIGITS - 1)).fullmatch


class BeginSweep:
    """Begins a sweep now, whatever the night; it goes on when nobody waits for it."""

    operation: ClassVar = Operation(
        name="sweep",
        method="POST",
        path="/v1/sweeps",
        summary="Begin to recount every member with a tracking code, now",
        answer=SweepAnswer,
        problems=(SweepUnderWay, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, records: Records, scheduler: Scheduler) -> None:
        self._records = records
        self._scheduler = scheduler

    async def __call__(self, call: Call) -> Answer:
        """Answer with the sweep's number as soon as it has begun."""
        _, problems = read_query(call.query, {})
        if problems:
            raise InvalidRequest(problems)
        number = await self._scheduler.sweep()
        if number is None:
            raise SweepUnderWay("Another sweep is at work; wait until it has ended.")
        row = await self._records.sweep(number)
        return answer(encode(_shown(row or SweepRow(number, None, 0, None, None, 0, 0, 0, 0))))


class ReadSweep:
    """Shows the record of a sweep."""

    operation: ClassVar = Operation(
        name="sweep_state",
        method="GET",
        path="/v1/sweeps/{sweep}",
        summary="What a sweep has done so far, and when it ended",
        answer=SweepAnswer,
        problems=(UnknownSweep, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, records: Records) -> None:
        self._records = records

    async def __call__(self, call: Call) -> Answer:
        """Answer with its counts."""
        named = _is_number(call.segments[NAMED])
        _, problems = read_query(call.query, {})
        if named is None:
            problems.insert(0, FieldProblem("sweep", _RULE))
        if named is None or problems:
            raise InvalidRequest(problems)
        row = await self._records.sweep(int(named[0]))
        if row is None:
            raise UnknownSweep(f"There is no sweep {int(named[0])}, or it is no longer on record.")
        return answer(encode(_shown(row)))


def _shown(row: SweepRow) -> SweepAnswer:
    return SweepAnswer(
        number=row.number,
        night=row.night,
        started_at=rfc3339(row.started_ms),
        ended_at=None if row.ended_ms is None else rfc3339(row.ended_ms),
        scanned=row.scanned,
        changed=row.changed,
        unchanged=row.unchanged,
        unlocked=row.unlocked,
        failed=row.failed,
        seconds=None if row.took_ms is None else row.took_ms / 1_000,
    )
