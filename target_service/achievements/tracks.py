"""Six counters, six tracks of achievements, and settling one from the other."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias
from zlib import crc32


class Level(NamedTuple):
    """A number to reach, and the points it is worth on its own."""

    at: int
    points: int


# Each is looked up by what it is, not by what it says: that is quick.
@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """The counter in `column` earns the levels of one achievement, in rising order."""

    column: str
    achievement: str
    levels: tuple[Level, ...]

    @property
    def total_column(self) -> str:
        """The standings' column of the running total, as SQL names it."""
        return f'"{self.achievement}_total"'

    @property
    def level_column(self) -> str:
        """The standings' column of the highest level unlocked, as SQL names it."""
        return f'"{self.achievement}_level"'


TRACKS = (
    Track("page_views", "shop-window", (
        Level(100, 5), Level(1_000, 10), Level(10_000, 25), Level(100_000, 60),
    )),
    Track("unique_visitors", "crowd-puller", (
        Level(50, 5), Level(500, 15), Level(5_000, 40), Level(50_000, 100),
    )),
    Track("link_clicks", "door-opener", (
        Level(25, 5), Level(250, 15), Level(2_500, 40), Level(25_000, 100),
    )),
    Track("signups", "host", (
        Level(1, 10), Level(10, 30), Level(100, 80), Level(1_000, 200),
    )),
    Track("organizations", "founder", (
        Level(1, 20), Level(5, 50), Level(25, 120), Level(100, 300),
    )),
    Track("paid_accounts", "rainmaker", (
        Level(1, 50), Level(5, 100), Level(25, 250), Level(100, 600),
    )),
)  # fmt: skip

# Wherever six numbers stand in a row it is in this order. What is kept, in the ledger's file or on
# the wire, is kept by name: a counter by its own, what it earned by the achievement's.
COLUMNS = tuple(track.column for track in TRACKS)

# A standing says which list it was settled by: another list settles it anew.
EDITION = crc32(repr(TRACKS).encode())


# Each step of the funnel is a part of the one before it. The other counters are driven by page-view
# beacons, which blockers and closed tabs swallow: nothing relates them.
FUNNEL = ("signups", "organizations", "paid_accounts")
COUNTER_LIMIT = 2**53 - 1

# One number for each of COLUMNS, in that order.
Numbers: TypeAlias = tuple[int, ...]
NOTHING: Numbers = (0,) * len(COLUMNS)


class Impossible(NamedTuple):
    """A counter that cannot be what a write would make it, and why."""

    column: str
    reason: str


def added(numbers: Numbers, adds: Numbers) -> Numbers:
    """Return the numbers after the adds."""
    return tuple(map(sum, zip(numbers, adds, strict=True)))


def impossibilities(numbers: Numbers) -> Iterator[Impossible]:
    """Return what cannot be: a step of the funnel beyond the one before, or beyond all numbers."""
    values = dict(zip(COLUMNS, numbers, strict=True))
    for wider, narrower in pairwise(FUNNEL):
        if values[narrower] > values[wider]:
            yield Impossible(
                narrower, f"would be {values[narrower]}, more than {wider}: {values[wider]}"
            )
    for column, value in values.items():
        if value > COUNTER_LIMIT:
            yield Impossible(column, f"would be {value}, more than {COUNTER_LIMIT}")


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
