"""What the ledger's file holds of members, their standings and their unlocks."""

import time
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.read_only import read_only

_PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Track:
    """One counter, and its levels as the service tells them: number to reach, and points."""

    column: str
    achievement: str
    levels: tuple[tuple[int, int], ...]

    def level(self, total: int) -> int:
        """The level that a number reaches."""
        return bisect_right([at for at, _ in self.levels], total)

    def points(self, level: int) -> int:
        """The points of the levels up to this one."""
        return sum(points for _, points in self.levels[:level])


@dataclass(frozen=True)
class Recounted:
    """How many members have a tracking code, and how many of them stand where their row says."""

    members: int
    right: int


@dataclass(frozen=True)
class AchievementsFile:
    """The file of one service; nothing is written."""

    path: Path

    def counted_events(self) -> int:
        """How many events were added to counters in the last day."""
        with read_only(self.path) as connection:
            (rows,) = connection.execute("SELECT count(*) FROM counter_events").fetchone()
        return int(rows)

    def recount(self, tracks: Sequence[Track]) -> Recounted:
        """Recount everybody from their own row, as the service should have."""
        columns = [
            f'c."{one.column}", s."{one.achievement}_total", s."{one.achievement}_level"'
            for one in tracks
        ]
        members = right = 0
        with read_only(self.path) as connection:
            rows = connection.execute(
                f"SELECT points, {', '.join(columns)} FROM member_counters c"  # noqa: S608  checked names
                " LEFT JOIN achievement_standings s USING (member) WHERE tracking_code IS NOT NULL"
            )
            for points, *numbers in rows:
                members += 1
                right += _is_right(tracks, points, numbers)
        return Recounted(members, right)

    def boards(self) -> Mapping[str, dict[str, int]]:
        """Members and points of every organisation."""
        boards: dict[str, dict[str, int]] = {}
        with read_only(self.path) as connection:
            for board, member, points in connection.execute(
                "SELECT organization, member, coalesce(points, 0) FROM member_counters"
                " LEFT JOIN achievement_standings USING (member) WHERE organization IS NOT NULL"
            ):
                boards.setdefault(board, {})[member] = points
        return boards

    def settle(self) -> None:
        """Wait until all unlocks are published, or have had time enough to be."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self._unpublished() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def unlocks(self) -> list[tuple[int, str, str, int]]:
        """Number, member, achievement and level of every unlock, published or not."""
        with read_only(self.path) as connection:
            return connection.execute(
                "SELECT number, member, achievement, level FROM achievement_unlocks ORDER BY number"
            ).fetchall()

    def _unpublished(self) -> int:
        with read_only(self.path) as connection:
            (waiting,) = connection.execute(
                "SELECT count(*) FROM achievement_unlocks"
                " WHERE number > (SELECT published_to FROM achievement_state)"
            ).fetchone()
        return int(waiting)


def _is_right(tracks: Sequence[Track], points: int | None, numbers: Sequence[int | None]) -> bool:
    """Whether totals are the counters, levels what these reach, and points those of the levels."""
    earned = 0
    triples = zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True)
    for track, (counter, total, level) in zip(tracks, triples, strict=True):
        reached = track.level(counter or 0)
        earned += track.points(reached)
        if (total or 0, level or 0) != (counter, reached):
            return False
    return earned == (points or 0)
