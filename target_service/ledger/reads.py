"""What is read from the ledger's file."""

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from target_service.ledger.bulk import json_list
from target_service.ledger.errors import ChangesTrimmed, translating
from target_service.ledger.events import Board, Change, LedgerFacts, Standing, Unprojected
from target_service.ledger.latest_standings import LatestStandings, StoredStanding
from target_service.ledger.leases import paused_jobs
from target_service.ledger.store import Store

# Ranges in order, then events in order: the nested loops are the order, nothing is sorted.
_UNPROJECTED = (
    "SELECT e.board, e.change, e.player"
    " FROM unprojected u CROSS JOIN events e ON e.change BETWEEN u.first AND u.last"
    # A change with a time in the future was stored before the clock was set back.
    " WHERE (e.at_ms <= ? OR e.at_ms > ?) AND e.board NOT IN (SELECT value FROM json_each(?))"
    " ORDER BY u.first, e.change LIMIT ?"
)
_CHANGES = (
    "SELECT e.change, b.season, b.name, e.player, e.old_score, e.score"
    " FROM events e CROSS JOIN boards b ON b.id = e.board"
    " WHERE e.change > ? ORDER BY e.change LIMIT ?"
)
_FACTS = (
    "SELECT ledger_id, last_change, folded_to, trimmed_to,"
    " (SELECT coalesce(sum(last - first + 1), 0) FROM unprojected),"
    " (SELECT at_ms FROM events WHERE change = (SELECT min(first) FROM unprojected))"
    " FROM state"
)

# Standings that changed since the last compaction are in `events` and replace older ones.
_SCORE_COUNTS = """
WITH served AS (
    SELECT b.id FROM boards b JOIN json_each(?1) j ON b.name = j.value WHERE b.season = ?2
),
tail AS MATERIALIZED (
    SELECT player, score, board, max(change) FROM events
    WHERE change > (SELECT folded_to FROM state)
    AND board IN (SELECT id FROM boards WHERE season = ?2) GROUP BY player
),
latest AS (
    SELECT score, board FROM tail UNION ALL
    SELECT score, board FROM players
    WHERE season = ?2 AND player NOT IN (SELECT player FROM tail)
),
counted AS (
    SELECT score, count(*) AS players FROM latest
    WHERE board IN (SELECT id FROM served) GROUP BY score
),
paged AS (
    SELECT score, players, (row_number() OVER (ORDER BY score) - 1) / ?3 AS page FROM counted
)
SELECT json_group_array(json_array(score, players)) FROM paged GROUP BY page ORDER BY page
"""
_COUNTS_PAGE = msgspec.json.Decoder(list[tuple[int, int]])

# One row of JSON instead of many rows: each row SQLite hands to Python gives up the interpreter.
_MOVES = (
    "SELECT json_group_array(score),"
    " json_group_array(old_score) FILTER (WHERE old_score IS NOT NULL) FROM events"
    " WHERE change > ? AND change <= ?"
    " AND board IN (SELECT b.id FROM boards b JOIN json_each(?) j"
    " ON b.name = j.value WHERE b.season = ?)"
)
_LAST_AND_TRIMMED = "SELECT last_change, trimmed_to FROM state"
_SCORES = msgspec.json.Decoder(list[int])
_SEASON_TAIL = (
    "SELECT player, board, score, abs(sequence), change FROM events"
    " WHERE change > (SELECT folded_to FROM state)"
    " AND board IN (SELECT id FROM boards WHERE season = ?) ORDER BY change"
)
_PLAYERS = (
    "SELECT player, board, score, sequence, change FROM players WHERE season = ? ORDER BY player"
)


def unprojected(
    connection: sqlite3.Connection,
    latest_standings: LatestStandings,
    limit: int,
    committed_before_ms: int,
    now_ms: int,
    without: Collection[Board] = (),
) -> list[Unprojected]:
    """The oldest changes not marked projected, by board, with the standings they led to."""
    names = board_names(connection)
    left_out = [number for number, name in names.items() if Board(*name) in without]
    rows = connection.execute(
        _UNPROJECTED, (committed_before_ms, now_ms, json_list(left_out), limit)
    )
    changes: dict[int, list[int]] = {}
    players: dict[int, dict[str, None]] = {}
    for board, change, player in rows:
        changes.setdefault(board, []).append(change)
        players.setdefault(board, {})[player] = None
    found = []
    for board, numbers in changes.items():
        season, name = names[board]
        latest = standings(connection, latest_standings, season, list(players[board]))
        found.append(Unprojected(season, name, numbers, list(latest.values())))
    return found


def standings(
    connection: sqlite3.Connection,
    latest_standings: LatestStandings,
    season: str,
    player_ids: Sequence[str],
) -> dict[str, Standing]:
    """The latest standing of each of the players who has one, in the order of the ids."""
    tail = latest_standings.tail(season)
    states = latest_standings.compacted(connection, season, player_ids)
    states |= {player: tail[player] for player in player_ids if player in tail}
    names = board_names(connection)
    return {
        player: _standing(season, player, states[player], names)
        for player in player_ids
        if player in states
    }


def changes(connection: sqlite3.Connection, after: int, limit: int) -> list[Change]:
    """The changes after a number, in order."""
    (trimmed_to,) = connection.execute("SELECT trimmed_to FROM state").fetchone()
    if after < trimmed_to:
        raise ChangesTrimmed(
            f"Changes up to {trimmed_to} are gone, {after} was asked for; rebuild from a snapshot."
        )
    return [Change(*row) for row in connection.execute(_CHANGES, (after, limit))]


def facts(connection: sqlite3.Connection, now_ms: int, trouble: str | None) -> LedgerFacts:
    """Where the ledger is now."""
    ledger_id, last, folded_to, trimmed_to, waiting, oldest_ms = connection.execute(
        _FACTS
    ).fetchone()
    paused = paused_jobs(connection, now_ms)
    return LedgerFacts(ledger_id, last, folded_to, trimmed_to, waiting, oldest_ms, paused, trouble)


def board_names(connection: sqlite3.Connection) -> dict[int, tuple[str, str]]:
    """Season and name of every board, by number."""
    rows = connection.execute("SELECT id, season, name FROM boards")
    return {number: (season, name) for number, season, name in rows}


def _standing(
    season: str, player: str, state: StoredStanding, names: dict[int, tuple[str, str]]
) -> Standing:
    board, score, sequence, change = state
    return Standing(season, names[board][1], player, score, sequence or None, change)


class CountedScores(NamedTuple):
    """The change that the counts are as of, and pages of scores and players, lowest first."""

    change: int
    pages: Iterator[list[tuple[int, int]]]


@contextmanager
def counted_scores(
    store: Store, season: str, boards: Sequence[str], page_scores: int
) -> Iterator[CountedScores]:
    """Open the counts of some boards of a season; blocks, and so does taking a page."""
    with closing(store.connect()) as connection, store.read_transaction(connection):
        (change,) = connection.execute("SELECT last_change FROM state").fetchone()
        rows = connection.execute(_SCORE_COUNTS, (json_list(boards), season, page_scores))
        yield CountedScores(change, (sorted(_COUNTS_PAGE.decode(page)) for (page,) in rows))


@dataclass(frozen=True, slots=True)
class ScoreMovesQuery:
    """The boards of a season, the last change already known, and players to look up."""

    season: str
    boards: Sequence[str]
    after: int
    limit: int
    player_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class ScoreMoves:
    """The new and the replaced scores of the changes up to `to`.

    `last_change` is the newest change there is, and the standings are as of that one.
    """

    to: int
    last_change: int
    new_scores: Sequence[int]
    old_scores: Sequence[int]
    standings: dict[str, Standing]


def score_moves(
    connection: sqlite3.Connection, latest_standings: LatestStandings, query: ScoreMovesQuery
) -> ScoreMoves:
    """Read the moves and standings; raises ChangesTrimmed when some of the changes are gone."""
    last_change, trimmed_to = connection.execute(_LAST_AND_TRIMMED).fetchone()
    if query.after < trimmed_to:
        raise ChangesTrimmed(
            f"Changes up to {trimmed_to} are gone, {query.after} was asked for; count again."
        )
    to = min(last_change, query.after + query.limit)
    new_scores, old_scores = connection.execute(
        _MOVES, (query.after, to, json_list(query.boards), query.season)
    ).fetchone()
    latest = standings(connection, latest_standings, query.season, query.player_ids)
    return ScoreMoves(
        to, last_change, _SCORES.decode(new_scores), _SCORES.decode(old_scores), latest
    )


class Snapshot:
    """An iterator of pages on a connection of its own; use it as a context manager.

    Everything in it is as of `change`, each player once, whatever is written meanwhile. It keeps
    the write-ahead log from being reused, so read it to its end and close it. Opening it and
    taking a page block: from a coroutine, use a thread for both.
    """

    def __init__(self, store: Store, season: str, page_size: int) -> None:
        self._store = store
        self._season = season
        self._page_size = page_size
        self.change = 0

    def __enter__(self) -> Self:
        self._connection = self._store.connect()
        try:
            with translating(self._store.path):
                self._connection.execute("BEGIN")
                self._begin()
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._rows.close()
        self._connection.close()

    def __iter__(self) -> Iterator[list[Standing]]:
        return self

    def __next__(self) -> list[Standing]:
        with translating(self._store.path):
            page = [self._standing(row) for row in self._next_rows()]
        if not page:
            raise StopIteration
        return page

    def _begin(self) -> None:
        (self.change,) = self._connection.execute("SELECT last_change FROM state").fetchone()
        self._names = board_names(self._connection)
        tail = self._connection.execute(_SEASON_TAIL, (self._season,))
        self._tail_rows = {row[0]: row for row in tail}
        self._left = iter(self._tail_rows.values())
        self._rows = self._connection.execute(_PLAYERS, (self._season,))

    def _next_rows(self) -> list[tuple[str, int, int, int, int]]:
        """Compacted rows first, without those that have changed since, then the changed ones."""
        rows: list[tuple[str, int, int, int, int]] = []
        while len(rows) < self._page_size:
            more = self._rows.fetchmany(self._page_size - len(rows))
            if not more:
                break
            rows += [row for row in more if row[0] not in self._tail_rows]
        missing = self._page_size - len(rows)
        return rows + list(islice(self._left, missing))

    def _standing(self, row: tuple[str, int, int, int, int]) -> Standing:
        player, board, score, sequence, change = row
        name = self._names[board][1]
        return Standing(self._season, name, player, score, sequence or None, change)
