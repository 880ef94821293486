"""The counts of players by score, against counting them one by one."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from target_service.leaderboard.score_counts import ScoreCounts

LIMIT = 2**53 - 1
SCORES = st.one_of(st.integers(-30, 30), st.integers(-LIMIT, LIMIT))
MOVES = st.lists(st.tuples(st.integers(0, 25), SCORES), max_size=40)


@given(
    start=st.lists(SCORES, max_size=60),
    batches=st.lists(MOVES, max_size=12),
    asked=st.lists(SCORES, max_size=10),
    block_scores=st.integers(1, 9),
)
def test_they_are_what_counting_one_by_one_gives(
    start: list[int], batches: list[list[tuple[int, int]]], asked: list[int], block_scores: int
) -> None:
    """Players come, rise and fall in batches; blocks split and join meanwhile."""
    players = dict(enumerate(start))
    counts = ScoreCounts(block_scores)
    counts.extend([(score, start.count(score)) for score in sorted(set(start))])
    for batch in [[], *batches]:
        given_up = []
        for player, score in batch:
            if player in players:
                given_up.append(players[player])
            players[player] = score
        counts.move([score for _, score in batch], given_up)
        assert counts.players == len(players)
        for score in {*asked, *players.values()}:
            expected = sum(other > score for other in players.values())
            assert expected == counts.above(score)
    sizes = [len(block.scores) for block in counts._blocks]
    assert all(size <= 2 * block_scores for size in sizes)
    assert len(sizes) <= 1 + len(set(players.values())) / max(1, block_scores // 4)


def test_a_score_that_nobody_has_cannot_be_given_up() -> None:
    """A count that would fall below none is a defect to be told, not a rank to be answered."""
    counts = ScoreCounts()
    counts.move([5], [])

    with pytest.raises(ValueError, match="1 players give up the score 7, 0 have it"):
        counts.move([], [7])


def test_memory_follows_the_scores_and_not_their_range() -> None:
    """A hundred thousand scores over the whole range take thirteen bytes each, or little more."""
    counts = ScoreCounts()
    step = 2 * LIMIT // 100_000
    counts.extend([(number * step - LIMIT, 1) for number in range(100_000)])

    held = sum(
        sys.getsizeof(block.scores) + sys.getsizeof(block.counts) for block in counts._blocks
    )
    held += sys.getsizeof(counts._lowest) + sys.getsizeof(counts._blocks)
    assert counts.above(-LIMIT) == 99_999
    assert held / 100_000 < 13
