"""The data set and its known answers, from a truth model in memory."""

from collections import Counter
from random import Random

from workload.assumptions import Assumptions
from workload.dataset import PLAYER_SEED, Entry, build_dataset, build_updates, player_id
from workload.model import partition_keys

KEYS = partition_keys(Assumptions())
TARGET = "player-00042"


def final_entries() -> dict[str, Entry]:
    """Apply the lab's 3,000 updates to its 12,000 players."""
    dataset = build_dataset(12_000, KEYS)
    entries = [*dataset.entries(), *build_updates(dataset, 3_000)]
    return {entry.player: entry for entry in entries}


def test_players_are_loaded_as_the_lab_describes_them() -> None:
    """Five-digit ids, scores in turn from the seed, partitions in rotation."""
    random = Random(PLAYER_SEED)
    expected = [
        Entry(f"player-{index:05d}", KEYS[index % 12], random.randint(0, 10_000))
        for index in range(12_000)
    ]

    assert expected == list(build_dataset(12_000, KEYS).entries())
    assert PLAYER_SEED == 20_260_906  # the seed is what is examined


def test_updates_raise_the_score_that_was_there() -> None:
    """Player and gain come in turn from the next seed, and the entry holds the new score."""
    dataset = build_dataset(100, KEYS)
    random = Random(PLAYER_SEED + 1)
    ids = [player_id(index) for index in range(100)]
    scores = dict(zip(ids, dataset.scores, strict=True))
    expected = []
    for _ in range(500):
        player = random.choice(ids)
        scores[player] += random.randint(1, 20)
        expected.append(Entry(player, KEYS[int(player[-5:]) % 12], scores[player]))

    assert tuple(expected) == build_updates(dataset, 500)


def test_a_larger_data_set_begins_with_the_smaller_one() -> None:
    """A scale adds players; it changes none."""
    small, large = build_dataset(1_200, KEYS), build_dataset(2_400, KEYS)

    assert small.scores == large.scores[:1_200]


def test_another_seed_gives_other_players_and_updates() -> None:
    """The seed decides both."""
    one, other = build_dataset(100, KEYS, seed=1), build_dataset(100, KEYS, seed=2)

    assert one.scores != other.scores
    assert build_updates(one, 50, seed=1) != build_updates(one, 50, seed=2)


def test_ids_grow_past_five_digits() -> None:
    """The twelve-millionth player still has a name of its own."""
    assert player_id(7) == "player-00007"
    assert player_id(11_999_999) == "player-11999999"


def test_the_target_has_its_known_score_and_rank() -> None:
    """After the updates player-00042 has 660 and 11,207 players are strictly better."""
    entries = final_entries()
    score = entries[TARGET].score

    assert score == 660
    assert 1 + sum(entry.score > score for entry in entries.values()) == 11_208


def test_the_target_has_its_known_neighbours() -> None:
    """Two above and two below on the target's own partition."""
    entries = final_entries()
    board = sorted(
        (
            (entry.score, entry.player)
            for entry in entries.values()
            if entry.partition == entries[TARGET].partition
        ),
        reverse=True,
    )
    place = board.index((660, TARGET))

    assert board[place - 2 : place + 3] == [
        (679, "player-05370"),
        (662, "player-11778"),
        (660, "player-00042"),
        (622, "player-00318"),
        (619, "player-08406"),
    ]


def test_the_hottest_partition_gets_its_known_share_of_writes() -> None:
    """All twelve keys are written, and chance gives one of them 10.0 %, not 8.3 %."""
    writes = Counter(entry.partition for entry in build_updates(build_dataset(12_000, KEYS), 3_000))

    assert len(writes) == 12
    assert f"{max(writes.values()) / writes.total():.1%}" == "10.0%"
