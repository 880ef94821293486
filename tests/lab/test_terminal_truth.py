"""The plan of the terminal lab and the truth in memory."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.terminal.plan import PLAYERS, TOP_K, WINDOW, Truth, make_plan, truth_of
from workload.assumptions import Assumptions

BOARDS = st.lists(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 5), min_size=1),
    min_size=1,
    max_size=3,
).map(
    # a player belongs to one partition
    lambda boards: {
        f"lb:{number}": {f"{player}{number}": score for player, score in board.items()}
        for number, board in enumerate(boards)
    }
)


def test_the_plan_gives_the_known_answers() -> None:
    """The fixed seeds lead to the score, the rank and the neighbours that are documented."""
    plan = make_plan(Assumptions())
    truth = truth_of(plan)
    home = plan.target.partition

    assert "player-00042" == plan.target.player
    assert 660 == truth.partitions[home]["player-00042"]
    assert 11_208 == truth.competition_rank(660)
    assert truth.around(home, "player-00042", WINDOW) == (
        ("player-05370", 679),
        ("player-11778", 662),
        ("player-00042", 660),
        ("player-00318", 622),
        ("player-08406", 619),
    )


def test_the_plan_spreads_its_writes_over_twelve_partitions() -> None:
    """3,000 updates reach all partitions; the busiest takes 301 of them."""
    writes = make_plan(Assumptions()).writes_per_partition()

    assert 12 == len(writes)
    assert 3_000 == sum(writes.values())
    assert ("lb:na-west:duo:s1", 301) == Counter(writes).most_common(1)[0]


def test_every_fourth_read_asks_for_the_top() -> None:
    """Of 120 reads 30 ask for the top, the others for a player's neighbours."""
    reads = make_plan(Assumptions()).reads

    assert 120 == len(reads)
    assert list(range(0, 120, 4)) == [at for at, entry in enumerate(reads) if entry is None]


@pytest.mark.parametrize("regions", [("eu",), ("na-east", "na-west", "eu", "apac")])
def test_batches_hold_every_player_once(regions: tuple[str, ...]) -> None:
    """A batch has one partition and no more events than the service takes."""
    assumptions = Assumptions(regions=regions, modes=("solo",), hot_partition_multiplier=1.0)
    batches = list(make_plan(assumptions).batches())

    assert PLAYERS == len({entry.player for batch in batches for entry in batch})
    assert PLAYERS == sum(map(len, batches))
    assert all(len({entry.partition for entry in batch}) == 1 for batch in batches)
    assert max(map(len, batches)) <= 5_000


def test_the_sample_has_ties_across_partitions() -> None:
    """A rank that counts equal scores as greater cannot pass unseen."""
    plan = make_plan(Assumptions())
    truth = truth_of(plan)
    tied = {
        entry.player
        for entry in plan.sample()
        for partition, scores in truth.partitions.items()
        if partition != entry.partition
        and truth.partitions[entry.partition][entry.player] in scores.values()
    }

    assert "player-00042" == plan.sample()[0].player
    assert len(tied) > 30


def test_two_plans_are_the_same() -> None:
    """Each run sends the same requests."""
    assert make_plan(Assumptions()) == make_plan(Assumptions())


@given(BOARDS)
def test_the_top_counts_who_stands_ahead(boards: dict[str, dict[str, int]]) -> None:
    """Nobody outside the top stands ahead of anybody in it, by score and then by name."""
    everybody = [one for board in boards.values() for one in board.items()]
    top = Truth(boards).top(TOP_K)

    assert min(TOP_K, len(everybody)) == len(top)
    for place, (player, score) in enumerate(top):
        ahead = [one for one in everybody if (one[1], one[0]) > (score, player)]
        assert place == len(ahead)


@given(BOARDS)
def test_equal_scores_share_a_rank(boards: dict[str, dict[str, int]]) -> None:
    """The rank of a score is one more than the players above it."""
    truth = Truth(boards)
    scores = sorted((one for board in boards.values() for one in board.values()), reverse=True)

    for score in scores:
        assert scores.index(score) + 1 == truth.competition_rank(score)


@given(BOARDS, st.integers(1, 3))
def test_a_page_is_shifted_at_the_edges(boards: dict[str, dict[str, int]], window: int) -> None:
    """Each page holds its player and is as long as the board allows."""
    truth = Truth(boards)
    for board, scores in boards.items():
        for player, score in scores.items():
            page = truth.around(board, player, window)
            assert min(2 * window + 1, len(scores)) == len(page)
            assert (player, score) in page
