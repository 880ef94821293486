"""Both modes against the truth: order, top, rank and around on boards of any shape."""

from hypothesis import given, settings
from hypothesis import strategies as st
from leaderboard_client import HOME, PARTITIONS, Leaderboard, Partition, key_of
from truth_model import Scores, TruthBoard

LIMIT = 2**53 - 1
# Few different scores make ties; the ends of the range and short ids make trouble.
scores = st.one_of(st.integers(0, 5), st.integers(-LIMIT, LIMIT), st.just(5 * 10**15))
players = st.one_of(
    st.text("abAB{}:%? é\U0001f600￿", min_size=1, max_size=3),
    st.integers(0, 40).map("player-{:05d}".format),
)
partitions = st.sampled_from(PARTITIONS)
worlds = st.dictionaries(players, st.tuples(partitions, scores), min_size=1, max_size=40)
World = dict[str, tuple[Partition, int]]


def _load(leaderboard: Leaderboard, world: World) -> None:
    leaderboard.clear()
    for partition in PARTITIONS:
        leaderboard.load(_scores_of(world, partition), partition)


def _scores_of(world: World, partition: Partition) -> Scores:
    return {player: score for player, (home, score) in world.items() if home == partition}


def _everyone(world: World) -> TruthBoard:
    return TruthBoard({player: score for player, (_, score) in world.items()})


def _board(leaderboard: Leaderboard, world: World, partition: Partition) -> TruthBoard:
    if leaderboard.mode == "naive":
        return _everyone(world)
    return TruthBoard(_scores_of(world, partition))


@given(world=worlds, k=st.integers(1, 50))
@settings(max_examples=40, deadline=None)
def test_the_global_top_is_the_first_k_of_all(running: Leaderboard, world: World, k: int) -> None:
    """The merged top K equals the first K of everybody, in order, ties by id descending."""
    _load(running, world)

    answer = running.top(k)

    found = [(entry["player"], entry["score"]) for entry in answer["entries"]]
    assert _everyone(world).order()[:k] == found
    homes = [running.board(world[player][0]) for player, _ in found]
    assert homes == [entry["partition"] for entry in answer["entries"]]


@given(world=worlds, k=st.integers(1, 50), partition=partitions)
@settings(max_examples=30, deadline=None)
def test_a_boards_top_is_exact(
    running: Leaderboard, world: World, k: int, partition: Partition
) -> None:
    """A board's top K equals the first K of that board."""
    _load(running, world)

    answer = running.partition_top(k, partition)

    found = [(entry["player"], entry["score"]) for entry in answer["entries"]]
    assert _board(running, world, partition).order()[:k] == found
    assert running.board(partition) == answer["board"]


@given(world=worlds, data=st.data())
@settings(max_examples=40, deadline=None)
def test_rank_is_the_competition_rank_over_all(
    running: Leaderboard, world: World, data: st.DataObject
) -> None:
    """Rank is 1 + the players with a greater score anywhere; beside it the place at home."""
    _load(running, world)
    player = data.draw(st.sampled_from(sorted(world)))
    home, score = world[player]

    answer = running.rank(player, home)

    assert _everyone(world).rank(player) == answer["rank"]
    assert _board(running, world, home).position(player) == answer["board_position"]
    assert (player, score, running.board(home)) == (
        answer["player"],
        answer["score"],
        answer["board"],
    )


@given(world=worlds, window=st.integers(1, 50), data=st.data())
@settings(max_examples=60, deadline=None)
def test_around_is_shifted_at_the_edges(
    running: Leaderboard, world: World, window: int, data: st.DataObject
) -> None:
    """The page holds 2 x window + 1 entries wherever the board has that many."""
    _load(running, world)
    player = data.draw(st.sampled_from(sorted(world)))
    home, score = world[player]
    truth = _board(running, world, home)

    answer = running.around(player, window, home)

    found = [(e["position"], e["player"], e["score"]) for e in answer["entries"]]
    assert truth.around(player, window) == found
    assert (truth.position(player), score) == (answer["position"], answer["score"])


def test_every_place_of_a_board_has_its_page(leaderboard: Leaderboard) -> None:
    """From the first place to the last, with windows smaller and larger than the board."""
    scores = {f"player-{index:05d}": index % 4 for index in range(11)}
    leaderboard.load(scores)
    truth = TruthBoard(scores)

    for window in (1, 2, 3, 5, 6, 50):
        for player in scores:
            entries = leaderboard.around(player, window)["entries"]
            found = [(e["position"], e["player"], e["score"]) for e in entries]
            assert truth.around(player, window) == found


def test_equal_scores_share_a_rank_across_partitions(leaderboard: Leaderboard) -> None:
    """Two tied leaders in different partitions are both first, and the next one is third."""
    leaderboard.submit("ann", 70, PARTITIONS[0])
    leaderboard.submit("bob", 70, PARTITIONS[11])
    leaderboard.submit("cid", 60, PARTITIONS[5])

    ranks = [
        leaderboard.rank("ann", PARTITIONS[0])["rank"],
        leaderboard.rank("bob", PARTITIONS[11])["rank"],
        leaderboard.rank("cid", PARTITIONS[5])["rank"],
    ]

    assert ranks == [1, 1, 3]


def test_rank_tells_how_many_keys_it_read(leaderboard: Leaderboard) -> None:
    """One key is one snapshot; twelve keys without versions prove nothing."""
    leaderboard.submit("ann", 70)

    answer = leaderboard.rank("ann")

    told = (answer["keys_read"], answer["exact"], answer["max_rank_error"])
    assert told == ((1, True, 0) if leaderboard.mode == "naive" else (12, None, None))


def test_the_top_tells_how_many_candidates_it_merged(leaderboard: Leaderboard) -> None:
    """K candidates per key, or all that the key has."""
    for partition in PARTITIONS:
        leaderboard.load({f"{key_of(partition)}-{i}": i for i in range(12)}, partition)

    assert leaderboard.top(10)["candidates"] == (10 if leaderboard.mode == "naive" else 120)


def test_an_empty_board_has_an_empty_top(leaderboard: Leaderboard) -> None:
    """No entries is an answer, not an error."""
    assert leaderboard.top(10)["entries"] == []
    assert leaderboard.partition_top(10, HOME)["entries"] == []
