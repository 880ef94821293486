"""The points of each organisation as the ledger has them: who stands on which board since when.

A board counts its changes. Whoever changes on it carries the number of that change, so that a board
in Redis that got as far as some change misses exactly the members with a greater one. A member who
leaves cannot be found that way: the board then has to be begun anew.
"""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from target_service.ledger.bulk import BulkInsert, Value, json_list

_VERSIONS = (
    "SELECT json_group_object(b.board, b.version)"
    " FROM json_each(?) j CROSS JOIN achievement_boards b ON b.board = j.value"
)
_ADVANCE = BulkInsert(
    "INSERT INTO achievement_boards (board, version, base)",
    3,
    "ON CONFLICT (board) DO UPDATE SET version = excluded.version",
)
_LEAVE = "UPDATE achievement_boards SET version = version + 1, base = version + 1 WHERE board = ?"
_STAND = (
    "INSERT INTO achievement_standings (member, board, version) VALUES (?, ?, ?)"
    " ON CONFLICT (member) DO UPDATE SET board = excluded.board, version = excluded.version"
)
_BOARD = "SELECT ledger_id, version, base FROM state LEFT JOIN achievement_boards ON board = ?"
_ROWS = (
    "SELECT json_group_array(json_array(version, points, member)) FROM"
    " (SELECT version, points, member FROM achievement_standings"
    " WHERE board = ? AND version > ? ORDER BY version LIMIT ?)"
)
_versions = msgspec.json.Decoder(dict[str, int]).decode
_rows = msgspec.json.Decoder(list[tuple[int, int, str]]).decode

# More than any one change brings to a board, so that a page always holds a whole change.
PAGE_ROWS = 2_000


class BoardState(NamedTuple):
    """How far a board is in the ledger; `epoch` changes when a copy of it must be begun anew."""

    epoch: str
    version: int


class BoardPage(NamedTuple):
    """What changed on a board from one change up to another: points and members."""

    epoch: str
    since: int
    up_to: int
    rows: list[tuple[int, str]]


def advance(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    """Count one change of each of these boards; return the changes' numbers."""
    wanted = list(dict.fromkeys(names))
    (text,) = connection.execute(_VERSIONS, (json_list(wanted),)).fetchone()
    before = _versions(text)
    after = {name: before.get(name, 0) + 1 for name in wanted}
    values: list[Value] = []
    for name, version in after.items():
        values += (name, version, 0)
    _ADVANCE.run(connection, values)
    return after


def move(connection: sqlite3.Connection, member: str, board: str | None) -> None:
    """Stand a member on this board and on no other."""
    row = connection.execute(
        "SELECT board FROM achievement_standings WHERE member = ?", (member,)
    ).fetchone()
    if row == (board,) or (row is None and board is None):
        return
    if row is not None and row[0] is not None:
        connection.execute(_LEAVE, row)
    version = 0 if board is None else advance(connection, [board])[board]
    connection.execute(_STAND, (member, board, version))


def state(connection: sqlite3.Connection, board: str) -> BoardState | None:
    """How far the board is; None when there never was one of this name."""
    ledger_id, version, base = connection.execute(_BOARD, (board,)).fetchone()
    return None if version is None else BoardState(f"{ledger_id}:{base}", version)


def page(connection: sqlite3.Connection, board: str, epoch: str, since: int) -> BoardPage | None:
    """What a copy of this epoch misses that got as far as `since`; another epoch misses all.

    None when there is no such board. Only whole changes are in a page, so that a copy that has
    taken it can say how far it is.
    """
    found = state(connection, board)
    if found is None:
        return None
    since = since if epoch == found.epoch else 0
    (text,) = connection.execute(_ROWS, (board, since, PAGE_ROWS)).fetchone()
    rows = _rows(text)
    up_to = found.version
    if len(rows) == PAGE_ROWS:
        up_to = rows[-1][0] - 1
    return BoardPage(
        found.epoch,
        since,
        up_to,
        [(points, member) for version, points, member in rows if version <= up_to],
    )
