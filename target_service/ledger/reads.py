"""Questions answered on the writer's connection, which has seen everything committed."""

import sqlite3
from collections.abc import Collection, Sequence

from target_service.ledger import holds
from target_service.ledger.bulk import json_list
from target_service.ledger.errors import ChangesTrimmed
from target_service.ledger.events import Board
from target_service.ledger.guard import Guard, State
from target_service.ledger.standings import Change, LedgerFacts, Standing, Unprojected

# Ranges in order, then events in order: the nested loops are the order, nothing is sorted.
_UNPROJECTED = (
    "SELECT e.board, e.change, e.player"
    " FROM unprojected u CROSS JOIN events e ON e.change BETWEEN u.first AND u.last"
    # What is of a time to come was stored before the clock was set back.
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


def unprojected(
    connection: sqlite3.Connection,
    guard: Guard,
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
        latest = standings(connection, guard, season, list(players[board]))
        found.append(Unprojected(season, name, numbers, list(latest.values())))
    return found


def standings(
    connection: sqlite3.Connection, guard: Guard, season: str, player_ids: Sequence[str]
) -> dict[str, Standing]:
    """The latest standing of each of the players who has one, in the order asked."""
    tail = guard.tail(season)
    states = guard.folded(connection, season, player_ids)
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
    held = holds.held(connection, now_ms)
    return LedgerFacts(ledger_id, last, folded_to, trimmed_to, waiting, oldest_ms, held, trouble)


def board_names(connection: sqlite3.Connection) -> dict[int, tuple[str, str]]:
    """Season and name of every board, by number."""
    rows = connection.execute("SELECT id, season, name FROM boards")
    return {number: (season, name) for number, season, name in rows}


def _standing(
    season: str, player: str, state: State, names: dict[int, tuple[str, str]]
) -> Standing:
    board, score, sequence, change = state
    return Standing(season, names[board][1], player, score, sequence or None, change)
