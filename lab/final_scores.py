"""final_scores.csv: what the load generator says that each player was told."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from lab.audit import FinalScore
from lab.evidence import read_scores
from lab.ledger_file import Told

_PLAYERS_PER_READ = 1_000


class Row(NamedTuple):
    """A player's newest accepted event; none when only the outcome of a write is unknown."""

    player: str
    board: str
    score: int | None
    sequence: int | None
    has_unknown: bool


def read_rows(path: Path) -> list[Row]:
    """Every row of the file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Row(
                row["player"],
                row["board"],
                _whole(row["score"]),
                _whole(row["sequence"]),
                row["unknown"] != "0",
            )
            for row in csv.DictReader(lines)
        ]


def highest_accepted(rows: Iterable[Row]) -> Iterator[Told]:
    """The highest accepted sequence of every player that has one, unknown outcomes or not."""
    for row in rows:
        if row.sequence is not None:
            yield Told(row.board.rpartition(":")[2], row.player, row.sequence)


def scores_in_redis(rows: Iterable[Row], redis_url: str) -> Iterator[FinalScore]:
    """Newest accepted against stored scores, players with an unknown outcome left out."""
    told: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if not row.has_unknown and row.score is not None:
            told[row.board][row.player] = row.score
    for board, scores in told.items():
        players = list(scores)
        for start in range(0, len(players), _PLAYERS_PER_READ):
            some = players[start : start + _PLAYERS_PER_READ]
            for player, held in zip(some, read_scores(redis_url, board, some), strict=True):
                yield FinalScore(scores[player], held)


def _whole(text: str) -> int | None:
    return int(text) if text else None
