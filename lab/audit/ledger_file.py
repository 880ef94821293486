"""What the ledger's file holds, read while another process may be writing it."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lab.errors import PartFailed
from lab.stack.redis import connect
from workload.model import global_key


@contextmanager
def read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that can change nothing.

    Raises:
        PartFailed: the file cannot be read.
    """
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        ) as connection:
            yield connection
    except sqlite3.Error as error:
        raise PartFailed(f"The ledger {path} cannot be read: {error}.") from error


_PATIENCE_SECONDS = 15.0
_POLL_SECONDS = 0.1
_ENTRIES_PER_READ = 5_000


class Standing(NamedTuple):
    """A player's latest score, as the ledger has it."""

    season: str
    board: str
    player: str
    score: int
    sequence: int


class AcknowledgedSequence(NamedTuple):
    """The highest sequence of a player that was acknowledged to a client."""

    season: str
    player: str
    sequence: int


class Backlog(NamedTuple):
    """The newest change, the oldest one not known to be in Redis (if any), and how many are not."""

    last_change: int
    first: int | None
    changes: int


class StoredEvent(NamedTuple):
    """An event that the ledger stored; negative sequences belong to events that came without."""

    event_id: str
    season: str
    player: str
    sequence: int


@dataclass(frozen=True)
class Kept:
    """How many players had an event acknowledged, and for how many of them the ledger holds it."""

    players: int
    acknowledged: int


@dataclass(frozen=True)
class Comparison:
    """How many entries the ledger and Redis have in common, of all that either has."""

    equal: int
    entries: int


def kept(acknowledged: Iterable[AcknowledgedSequence], held: Mapping[tuple[str, str], int]) -> Kept:
    """Compare acknowledged sequences with the sequences that are held, by season and player."""
    found = [held.get((one.season, one.player), -1) >= one.sequence for one in acknowledged]
    return Kept(sum(found), len(found))


@dataclass(frozen=True)
class LedgerFile:
    """The file of one service, and the mode that tells which Redis key serves a partition."""

    path: Path
    mode: str

    def rows(self) -> int:
        """How many events were ever stored; none before the file is made.

        Raises:
            PartFailed: the file cannot be read.
        """
        if not self.path.exists():
            return 0
        with read_only(self.path) as connection:
            (last_change,) = connection.execute("SELECT last_change FROM state").fetchone()
        return int(last_change)

    def score(self, player: str) -> int | None:
        """The player's latest score in the only season, or None.

        Raises:
            PartFailed: the file cannot be read.
        """
        with read_only(self.path) as connection:
            found = connection.execute("SELECT score FROM standings WHERE player = ?", (player,))
            row = found.fetchone()
        return None if row is None else int(row[0])

    def backlog(self) -> Backlog:
        """What is not known to have reached Redis at this moment.

        Raises:
            PartFailed: the file cannot be read.
        """
        with read_only(self.path) as connection:
            row = connection.execute(
                "SELECT last_change, (SELECT min(first) FROM unprojected),"
                " (SELECT coalesce(sum(last - first + 1), 0) FROM unprojected) FROM state"
            ).fetchone()
        return Backlog(*row)

    def events(self, run_id: str) -> list[StoredEvent]:
        """The events of a run, in the order in which they were stored.

        Raises:
            PartFailed: the file cannot be read.
        """
        prefix = f"{run_id}-"
        with read_only(self.path) as connection:
            rows = connection.execute(
                "SELECT event_id, season, player, sequence FROM events"
                " JOIN boards ON boards.id = board"
                " WHERE substr(event_id, 1, ?) = ? ORDER BY change",
                (len(prefix), prefix),
            )
            return [StoredEvent(*row) for row in rows]

    def settle(self) -> int:
        """Wait until nothing is left to be projected; return how many changes still are."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (waiting := self._unprojected()) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return waiting

    def compare(self, redis_url: str) -> Comparison:
        """Compare every board's entries with those in Redis, one by one.

        Raises:
            PartFailed: the file cannot be read.
            RedisError: the server does not answer.
        """
        ledger: dict[str, dict[str, int]] = {}
        for one in self._standings():
            key = global_key(one.season) if self.mode == "naive" else one.board
            ledger.setdefault(key, {})[one.player] = one.score
        equal = entries = 0
        with connect(redis_url) as client:
            for key, scores in ledger.items():
                found: dict[str, int] = {}
                for start in range(0, int(client.zcard(key)), _ENTRIES_PER_READ):
                    some = client.zrange(key, start, start + _ENTRIES_PER_READ - 1, withscores=True)
                    found |= {player: int(score) for player, score in some}
                entries += len(scores.keys() | found.keys())
                equal += len(scores.items() & found.items())
        return Comparison(equal, entries)

    def count_kept(self, acknowledged: Iterable[AcknowledgedSequence]) -> Kept:
        """Count the players whose newest accepted event the ledger holds, or a later one.

        Raises:
            PartFailed: the file cannot be read.
        """
        held = {(one.season, one.player): one.sequence for one in self._standings()}
        return kept(acknowledged, held)

    def _standings(self) -> list[Standing]:
        with read_only(self.path) as connection:
            rows = connection.execute(
                "SELECT season, board, player, score, sequence FROM standings"
            )
            return [Standing(*row) for row in rows]

    def _unprojected(self) -> int:
        with read_only(self.path) as connection:
            (waiting,) = connection.execute(
                "SELECT coalesce(sum(last - first + 1), 0) FROM unprojected"
            ).fetchone()
        return int(waiting)


@dataclass(frozen=True)
class LedgerEvidence:
    """What the ledger's file tells after a run."""

    unprojected: int
    comparison: Comparison
    kept: Kept
