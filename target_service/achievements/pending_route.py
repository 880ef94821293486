"""GET /v1/members/{member_id}/achievements/pending: what a member has not yet seen."""

from typing import ClassVar

from target_service.achievements.achievements_route import unknown_member
from target_service.achievements.messages import PendingAnswer, UnlockAnswer
from target_service.achievements.records import Records
from target_service.achievements.request import read_named
from target_service.achievements.series import AchievementSeries
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.moments import rfc3339, wall_clock_ms
from target_service.operation import Operation
from target_service.problems import InvalidRequest, LedgerRequired, LedgerUnavailable, UnknownMember
from target_service.query import IntegerParameter, Parameters

# As many unlocks as the file can number in ten digits, which is what the query reads.
PARAMETERS: Parameters = {"seen": IntegerParameter(0, 9_999_999_999, 0)}


class ReadPending:
    """Recounts the member and lists the unlocks after the last one they said to have seen.

    An answer that gets lost loses nothing: only the number a client sends back moves the mark.
    """

    operation: ClassVar = Operation(
        name="pending",
        method="GET",
        path="/v1/members/{member_id}/achievements/pending",
        summary="What a member has unlocked and not yet seen; `seen` says up to which number",
        parameters=PARAMETERS,
        answer=PendingAnswer,
        problems=(UnknownMember, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, records: Records, series: AchievementSeries) -> None:
        self._records = records
        self._recounted = series.recounts.labels("pending").inc

    async def __call__(self, call: Call) -> Answer:
        """Answer with the unlocks, oldest first."""
        member, values = read_named(call, "member_id", PARAMETERS)
        seen = int(values.get("seen", 0))
        page = await self._records.recounted(member)
        if page is None:
            raise unknown_member(member)
        self._recounted()
        if page.seen < seen and any(one.number == seen for one in page.unlocked):
            await self._records.see(member, seen)
        else:
            seen = page.seen
        pending = [
            UnlockAnswer(one.number, one.achievement, one.level, one.points, rfc3339(one.at_ms))
            for one in page.unlocked
            if one.number > seen
        ]
        return answer(encode(PendingAnswer(member, pending, rfc3339(wall_clock_ms()))))
