"""Settling six numbers into a standing: pure, and the same however often it is done."""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from target_service.achievements.counters import Numbers
from target_service.achievements.tracks import TRACKS, Track


class Progress(NamedTuple):
    """Where a member is on one track: the running total, and the highest level unlocked."""

    total: int = 0
    level: int = 0


# One progress for each of TRACKS, in that order.
Standing: TypeAlias = tuple[Progress, ...]
NO_STANDING: Standing = (Progress(),) * len(TRACKS)

_MARKS = {track: [level.at for level in track.levels] for track in TRACKS}
_POINTS = {
    track: list(accumulate((level.points for level in track.levels), initial=0)) for track in TRACKS
}


class Unlock(NamedTuple):
    """A level reached for the first time."""

    achievement: str
    level: int
    points: int


def award(track: Track, before: Progress, total: int) -> Progress:
    """Set the running total, up or down; a level once unlocked stays so."""
    return Progress(total, max(before.level, bisect_right(_MARKS[track], total)))


def settle(before: Standing, numbers: Numbers) -> tuple[Standing, list[Unlock]]:
    """Settle all tracks against one reading of the numbers; return every level not had before."""
    after = tuple(map(award, TRACKS, before, numbers))
    unlocked = [
        Unlock(track.achievement, level, track.levels[level - 1].points)
        for track, old, new in zip(TRACKS, before, after, strict=True)
        for level in range(old.level + 1, new.level + 1)
    ]
    return after, unlocked


def points(standing: Standing) -> int:
    """The points of every level unlocked."""
    return sum(
        # A shorter list of levels than the one they were unlocked by is worth what it holds.
        _POINTS[track][min(progress.level, len(track.levels))]
        for track, progress in zip(TRACKS, standing, strict=True)
    )
