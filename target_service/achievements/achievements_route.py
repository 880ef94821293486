"""GET /v1/members/{member_id}/achievements: where a member stands, recounted now."""

from typing import ClassVar

from target_service.achievements.messages import (
    AchievementAnswer,
    AchievementsAnswer,
    LevelAnswer,
)
from target_service.achievements.records import Records
from target_service.achievements.request import read_named
from target_service.achievements.series import AchievementSeries
from target_service.achievements.tracks import TRACKS, Track
from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.leaderboard.messages import encode
from target_service.moments import rfc3339, wall_clock_ms
from target_service.operation import Operation
from target_service.problems import InvalidRequest, LedgerRequired, LedgerUnavailable, UnknownMember


class ReadAchievements:
    """Recounts the member and shows every track."""

    operation: ClassVar = Operation(
        name="achievements",
        method="GET",
        path="/v1/members/{member_id}/achievements",
        summary="Where a member stands on every track, recounted now",
        answer=AchievementsAnswer,
        problems=(UnknownMember, InvalidRequest, LedgerUnavailable, LedgerRequired),
    )

    def __init__(self, records: Records, series: AchievementSeries) -> None:
        self._records = records
        self._recounted = series.recounts.labels("achievements").inc

    async def __call__(self, call: Call) -> Answer:
        """Answer with totals, levels and points of one instant."""
        member, _ = read_named(call, "member_id", {})
        page = await self._records.recounted(member)
        if page is None:
            raise unknown_member(member)
        self._recounted()
        at = {(one.achievement, one.level): rfc3339(one.at_ms) for one in page.unlocked}
        shown = [
            _shown(track, total, level, at)
            for track, total, level in zip(TRACKS, page.totals, page.levels, strict=True)
        ]
        shown_at = rfc3339(wall_clock_ms())
        body = AchievementsAnswer(member, page.organization, page.points, shown, shown_at)
        return answer(encode(body))


def _shown(
    track: Track, total: int, level: int, at: dict[tuple[str, int], str]
) -> AchievementAnswer:
    levels = [
        LevelAnswer(number, one.at, one.points, at.get((track.achievement, number)))
        for number, one in enumerate(track.levels, 1)
    ]
    return AchievementAnswer(track.achievement, track.column, total, level, levels)


def unknown_member(member: str) -> UnknownMember:
    """Return the refusal of a member nobody ever said anything of."""
    return UnknownMember(f"Member {member} is not known; nothing was counted for them.")
