"""The Redis commands of one board key, each with its tally."""

from collections.abc import Sequence

from target_service.leaderboard.key_scripts import (
    AROUND,
    AROUND_MOST,
    STANDING,
    STANDING_MOST,
    around_ran,
    standing_ran,
)
from target_service.leaderboard.tallies import KeyTally, ScriptTally, WriteTally
from target_service.metrics import Metrics
from target_service.redis_wire.command import Command
from target_service.redis_wire.packing import pack

# Reading and decoding this many entries takes about as long as writing one.
ENTRIES_PER_WEIGHT = 10


class KeyCommands:
    """Packs the commands that touch one key; `listed` when it is one of the configured boards."""

    def __init__(self, key: str, metrics: Metrics, *, listed: bool = True) -> None:
        self.key = key
        self._metrics = metrics
        self._label = label = key if listed else None
        self._write_one = WriteTally(metrics, "zadd", label, 1)
        self._top = KeyTally(metrics, "zrevrange", label, "read")
        self._count = KeyTally(metrics, "zcount", label, "read")
        self._around = ScriptTally(metrics, label, "read", around_ran, AROUND_MOST)
        self._standing = ScriptTally(metrics, label, "read", standing_ran, STANDING_MOST)

    def write(self, player: str, score: int) -> Command:
        """Set one player's score."""
        return Command(pack("ZADD", self.key, score, player), self._write_one)

    def write_many(self, players: Sequence[str], scores: Sequence[int]) -> Command:
        """Set many players' scores; a player named twice keeps the later score."""
        members = len(players)
        arguments: list[str | int] = [0] * (2 * members)
        arguments[::2] = scores
        arguments[1::2] = players
        tally = WriteTally(self._metrics, "zadd", self._label, members)
        return Command(pack("ZADD", self.key, *arguments), tally, members)

    def top(self, k: int) -> Command:
        """Read the first k entries: score descending, then player id descending."""
        packed = pack("ZREVRANGE", self.key, "0", k - 1, "WITHSCORES")
        return Command(packed, self._top, 1 + k // ENTRIES_PER_WEIGHT)

    def count_above(self, score: str) -> Command:
        """Count the players with a strictly greater score, given as the server's own text."""
        return Command(pack("ZCOUNT", self.key, "(" + score, "+inf"), self._count)

    def around(self, player: str, window: int) -> Command:
        """Read the player's place and the entries around it."""
        packed = AROUND.call(self.key, player, str(window))
        return Command(packed, self._around, 1 + 2 * window // ENTRIES_PER_WEIGHT)

    def standing(self, player: str) -> Command:
        """Read the player's score, the players above it, and the place on this key, at once."""
        return Command(STANDING.call(self.key, player), self._standing)
