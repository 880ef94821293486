"""Entries of boards: as Redis tells them, as clients get them, and merged over boards."""

from collections.abc import Iterable, Iterator
from itertools import repeat

from target_service.http.answers import Count, Document, Place
from target_service.redis.commands import Reply


class Entry(Document, frozen=True, gc=False):
    """A player and the score."""

    player: str
    score: int


class GlobalEntry(Document, frozen=True, gc=False):
    """A player, the score, and the key it was read from."""

    player: str
    score: int
    partition: str


class PlacedEntry(Document, frozen=True, gc=False):
    """A player, the score, and the ordinal place on the board."""

    player: str
    score: int
    position: Place


def rows(reply: Reply) -> Iterator[tuple[str, int]]:
    """Return the players and their scores, which Redis tells in turn.

    Valkey may print a large score as '5e+15', and every score here is an integer that a
    double holds exactly.
    """
    flat = iter(reply)
    return ((player, int(float(score))) for player, score in zip(flat, flat, strict=True))


def merge(replies: Iterable[tuple[str, Reply]], k: int) -> tuple[list[GlobalEntry], Count]:
    """Return the first k entries of all keys, and how many were looked at.

    K candidates per partition suffice: who is below place K there has K players ahead already.
    """
    found: list[tuple[float, str, str]] = []
    for key, reply in replies:
        found.extend(zip(map(float, reply[1::2]), reply[::2], repeat(key), strict=False))
    # Code points order as their UTF-8 bytes do, which is how Redis orders equal scores.
    found.sort(reverse=True)
    first = [GlobalEntry(player, int(score), key) for score, player, key in found[:k]]
    return first, len(found)
