"""What a leaderboard must answer, computed the plain way from every score."""

from dataclasses import dataclass

Scores = dict[str, int]


@dataclass(frozen=True)
class TruthBoard:
    """All players of one board and their scores."""

    scores: Scores

    def order(self) -> list[tuple[str, int]]:
        """Players by score descending, then by the bytes of their ids descending."""
        return sorted(
            self.scores.items(), key=lambda entry: (entry[1], entry[0].encode()), reverse=True
        )

    def position(self, player: str) -> int:
        """The ordinal place, counted from 1."""
        return [name for name, _ in self.order()].index(player) + 1

    def rank(self, player: str) -> int:
        """The competition rank: ties share it."""
        return 1 + sum(score > self.scores[player] for score in self.scores.values())

    def around(self, player: str, window: int) -> list[tuple[int, str, int]]:
        """The page around a player: shifted at the edges, short only when the board is."""
        ordered = [(place, *entry) for place, entry in enumerate(self.order(), 1)]
        size = 2 * window + 1
        first = max(0, min(self.position(player) - 1 - window, len(ordered) - size))
        return ordered[first : first + size]
