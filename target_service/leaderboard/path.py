"""The board and the player that a path names."""

from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from target_service.leaderboard.fields import ID_RULE, check_name, is_id, normalised
from target_service.problems import FieldProblem, InvalidRequest, Problem, UnknownBoard

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


def refuse(segments: Sequence[bytes], problems: Sequence[FieldProblem]) -> Problem:
    """Return what to raise for a path whose board or player is no good, or with other problems."""
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
