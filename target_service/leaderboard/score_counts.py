"""How many players have a greater score than one, whatever the range of scores."""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

_BLOCK_SCORES = 512


class _Block:
    """Some neighbouring scores in order, how many players have each, and how many they are."""

    __slots__ = ("counts", "players", "scores")

    def __init__(self, scores: "array[int]", counts: "array[int]") -> None:
        self.scores = scores
        self.counts = counts
        self.players = sum(counts)


class ScoreCounts:
    """Counts players by score, on two levels.

    The different scores lie in order in blocks of at most twice `block_scores`, twelve bytes
    each; above them stand the lowest score of each block and the number of players beyond it. A
    change moves a few hundred numbers in one block, and a question adds up as many: a square-root
    decomposition by place rather than by value, so that memory follows the number of different
    scores and never their range. A Fenwick tree over scores would need the range to be small.
    """

    def __init__(self, block_scores: int = _BLOCK_SCORES) -> None:
        self._block_scores = block_scores
        self._lowest: list[int] = []
        self._blocks: list[_Block] = []
        self._beyond: list[int] | None = []
        self.players = 0

    def extend(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Add scores and their players, lowest first, all greater than those there are."""
        for start in range(0, len(pairs), self._block_scores):
            part = pairs[start : start + self._block_scores]
            block = _Block(
                array("q", [score for score, _ in part]), array("I", [count for _, count in part])
            )
            self._lowest.append(part[0][0])
            self._blocks.append(block)
            self.players += block.players
        self._beyond = None

    def move(self, got: Iterable[int], given_up: Iterable[int]) -> None:
        """Count players who got these scores and gave up those."""
        moves = Counter(got)
        moves.subtract(given_up)
        for score, players in moves.items():
            if players:
                self._add(score, players)
        self._beyond = None

    def above(self, score: int) -> int:
        """Return how many players have a strictly greater score."""
        if not self._blocks:
            return 0
        at = self._find(score)
        block = self._blocks[at]
        place = bisect_right(block.scores, score)
        return self._players_beyond()[at] + sum(block.counts[place:])

    def _find(self, score: int) -> int:
        return max(0, bisect_right(self._lowest, score) - 1)

    def _players_beyond(self) -> list[int]:
        """Return how many players are in the blocks after each; added up when it has changed."""
        if self._beyond is None:
            after = accumulate((block.players for block in reversed(self._blocks[1:])), initial=0)
            self._beyond = list(after)[::-1]
        return self._beyond

    def _add(self, score: int, players: int) -> None:
        if not self._blocks:
            self._lowest.append(score)
            self._blocks.append(_Block(array("q"), array("I")))
        at = self._find(score)
        block = self._blocks[at]
        place = bisect_left(block.scores, score)
        is_there = place < len(block.scores) and block.scores[place] == score
        had = block.counts[place] if is_there else 0
        if had + players < 0:
            raise ValueError(f"{-players} players give up the score {score}, {had} have it")
        if is_there and had + players:
            block.counts[place] += players
        elif is_there:
            del block.scores[place], block.counts[place]
        else:
            block.scores.insert(place, score)
            block.counts.insert(place, players)
        block.players += players
        self.players += players
        if len(block.scores) > 2 * self._block_scores:
            self._split(at)
        elif len(block.scores) <= self._block_scores // 4 and len(self._blocks) > 1:
            self._join(max(0, at - 1))

    def _split(self, at: int) -> None:
        block = self._blocks[at]
        half = len(block.scores) // 2
        upper = _Block(block.scores[half:], block.counts[half:])
        del block.scores[half:], block.counts[half:]
        block.players -= upper.players
        self._lowest.insert(at + 1, upper.scores[0])
        self._blocks.insert(at + 1, upper)

    def _join(self, at: int) -> None:
        """Join a block with the next one, so that there are never many small ones."""
        block, upper = self._blocks[at], self._blocks.pop(at + 1)
        del self._lowest[at + 1]
        block.scores.extend(upper.scores)
        block.counts.extend(upper.counts)
        block.players += upper.players
        if len(block.scores) > 2 * self._block_scores:
            self._split(at)
