"""The refusal of a player without a score."""

from target_service.problems import UnknownPlayer


def unknown_player(player: str, board: str) -> UnknownPlayer:
    """Return the refusal: a missing player has no rank, and certainly not the first."""
    return UnknownPlayer(f"Player {player} has no score on board {board}.")
