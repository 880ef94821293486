"""The board and the player that a path names, and the refusals when it names none."""

from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from target_service.leaderboard.fields import check_name, is_id, normalised
from target_service.leaderboard.rules import ID_RULE
from target_service.problems import (
    FieldProblem,
    InvalidRequest,
    Problem,
    UnknownBoard,
    UnknownPlayer,
)

NAMES = ("region", "mode", "season")
BOARD = slice(3, 6)
PLAYER = 7


def read_player(segment: bytes) -> str | None:
    """Return the normalised player id, or None when the segment is none."""
    try:
        player = normalised(unquote_to_bytes(segment).decode("utf-8"))
    except UnicodeDecodeError:
        return None
    return player if is_id(player) else None


def refuse(segments: Sequence[bytes], problems: Sequence[FieldProblem] = ()) -> Problem:
    """Return what to raise: every problem of the path and the others, or an unknown board."""
    found = []
    for name, segment in zip(NAMES, segments[BOARD], strict=True):
        sentence = check_name(segment.decode("latin-1"))
        if sentence is not None:
            found.append(FieldProblem(name, sentence))
    if len(segments) > PLAYER and read_player(segments[PLAYER]) is None:
        found.append(FieldProblem("player_id", ID_RULE))
    found += problems
    if found:
        return InvalidRequest(found)
    return unknown_board(*(segment.decode() for segment in segments[BOARD]))


def unknown_board(region: str, mode: str, season: str) -> UnknownBoard:
    """Return the refusal of a board that is not configured."""
    return UnknownBoard(
        f"There is no board of region {region}, mode {mode} and season {season}; "
        "GET /v1/boards lists them."
    )


def unknown_player(player: str, board: str) -> UnknownPlayer:
    """Return the refusal of a player without a score, who has no rank and surely not the first."""
    return UnknownPlayer(f"Player {player} has no score on board {board}.")
