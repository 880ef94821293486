"""Every rank there ever was, replayed from the changes, to hold answers against."""

import sqlite3
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Check:
    """What a call was told, and the newest changes there were before and after it."""

    player: str
    before: int
    after: int
    score: int
    rank: int
    at_most: int
    total: int | None = None


def last_change(ledger: Path) -> int:
    """The newest change of a ledger's file."""
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        (number,) = connection.execute("SELECT last_change FROM state").fetchone()
    return int(number)


def changes_of(ledger: Path) -> list[tuple[int, str, int]]:
    """Every change of a ledger's file: number, player, new score."""
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
        return connection.execute(
            "SELECT change, player, score FROM events ORDER BY change"
        ).fetchall()


class RankHistory:
    """Goes through the changes once, with all checks that span the present one."""

    def __init__(self, changes: Iterable[tuple[int, str, int]]) -> None:
        self._changes = changes
        self._scores: dict[str, int] = {}
        self._sorted: list[int] = []

    def outside(self, checks: Sequence[Check]) -> list[Check]:
        """The checks that no moment of their call agrees with."""
        coming = sorted(checks, key=lambda check: check.before)[::-1]
        active: list[Check] = []
        outside: list[Check] = []
        for number, player, score in self._changes:
            outside += [check for check in active if check.after < number]
            active = [check for check in active if check.after >= number]
            self._apply(player, score)
            while coming and coming[-1].before <= number:
                active.append(coming.pop())
            active = [check for check in active if not self._agrees(check)]
        return [*outside, *active, *coming]

    def rank(self, player: str) -> int:
        """The true rank at the present change."""
        return 1 + len(self._sorted) - bisect_right(self._sorted, self._scores[player])

    def _agrees(self, check: Check) -> bool:
        return (
            self._scores.get(check.player) == check.score
            and abs(self.rank(check.player) - check.rank) <= check.at_most
            and (check.total is None or abs(len(self._sorted) - check.total) <= check.at_most)
        )

    def _apply(self, player: str, score: int) -> None:
        old = self._scores.get(player)
        if old is not None:
            del self._sorted[bisect_left(self._sorted, old)]
        insort(self._sorted, score)
        self._scores[player] = score
