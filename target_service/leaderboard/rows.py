"""Entries as Redis tells them: members and scores in turn."""

from collections.abc import Iterator

from target_service.redis_wire.command import Reply


def rows(reply: Reply) -> Iterator[tuple[str, int]]:
    """Return the players and their scores.

    Valkey may print a large score as '5e+15', and every score here is an integer that a
    double holds exactly.
    """
    flat = iter(reply)
    return ((player, int(float(score))) for player, score in zip(flat, flat, strict=True))
