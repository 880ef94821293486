"""Invalid assumptions are refused in sentences, all of them at once."""

import pickle
from typing import Any

import pytest

from workload.assumptions import Assumptions, InvalidWorkload

CASES: dict[str, tuple[dict[str, Any], str]] = {
    "no players": (
        {"concurrent_players": 0},
        "concurrent_players must be a whole number from 1 to 10,000,000,000; it is 0.",
    ),
    "negative players": (
        {"concurrent_players": -5},
        "concurrent_players must be a whole number from 1 to 10,000,000,000; it is -5.",
    ),
    "half a player": (
        {"concurrent_players": 1.5},
        "concurrent_players must be a whole number from 1 to 10,000,000,000; it is 1.5.",
    ),
    "a truth value for a count": (
        {"concurrent_players": True},
        "concurrent_players must be a whole number from 1 to 10,000,000,000; it is True.",
    ),
    "more players than Python prints": (
        {"concurrent_players": 1 << 20_000},
        (
            "concurrent_players must be a whole number from 1 to 10,000,000,000; "
            "it is a number of thousands of digits."
        ),
    ),
    "a fraction above 1": (
        {"update_fraction_per_second": 1.01},
        "update_fraction_per_second must be a number from 0 up to 1; it is 1.01.",
    ),
    "a negative fraction": (
        {"update_fraction_per_second": -0.1},
        "update_fraction_per_second must be a number from 0 up to 1; it is -0.1.",
    ),
    "not a number": (
        {"update_fraction_per_second": float("nan")},
        "update_fraction_per_second must be a number from 0 up to 1; it is nan.",
    ),
    "infinitely many reads": (
        {"leaderboard_reads_per_player_per_minute": float("inf")},
        "leaderboard_reads_per_player_per_minute must be a number from 0 up to 6,000; it is inf.",
    ),
    "a text for a number": (
        {"zipf_exponent": "steep"},
        "zipf_exponent must be a number above 0 up to 100; it is 'steep'.",
    ),
    "a flat Zipf": (
        {"zipf_exponent": 0},
        "zipf_exponent must be a number above 0 up to 100; it is 0.",
    ),
    "shares that leave reads over": (
        {"top_k_share": 0.25, "around_me_share": 0.7},
        "top_k_share and around_me_share must add up to 1; they are 0.25 and 0.7.",
    ),
    "shares off by the last digit": (
        {"top_k_share": 0.1, "around_me_share": 0.9000000000000001},
        "top_k_share and around_me_share must add up to 1; they are 0.1 and 0.9000000000000001.",
    ),
    "no regions": (
        {"regions": ()},
        "regions must hold at least one name, such as na-east,eu; it is empty.",
    ),
    "one region as text": (
        {"regions": "eu"},
        "regions must be a list of names, such as na-east,eu; it is 'eu'.",
    ),
    "names that are no part of a key": (
        {"regions": ("EU", "na east", "", "x" * 33, "a:b", 7)},
        (
            f"regions holds 'EU', 'na east', '', '{'x' * 33}', 'a:b', 7, "
            "but a name is 1 to 32 characters of a-z, 0-9 and '-'."
        ),
    ),
    "a mode twice": (
        {"modes": ("solo", "duo", "solo")},
        "modes holds 'solo' more than once; name each one once.",
    ),
    "the key of the global board": (
        {"regions": ("global", "eu"), "modes": ("all", "solo")},
        (
            "Region 'global' with mode 'all' would take the key of the global board; "
            "rename one of them."
        ),
    ),
    "a partition hotter than all players": (
        {"hot_partition_multiplier": 12.5},
        (
            "hot_partition_multiplier must be at most the number of partitions, 12, because "
            "one partition cannot hold more than all players; it is 12.5."
        ),
    ),
    "a hot partition below the average": (
        {"hot_partition_multiplier": 0.5},
        "hot_partition_multiplier must be a number from 1 up to 1,000,000; it is 0.5.",
    ),
    "an unknown popularity": (
        {"popularity": "zipff"},
        "popularity must be one of uniform, hot-partition, zipf; it is 'zipff'. Did you mean zipf?",
    ),
    "no requests at all": (
        {"update_fraction_per_second": 0, "leaderboard_reads_per_player_per_minute": 0},
        (
            "update_fraction_per_second and leaderboard_reads_per_player_per_minute are both 0, "
            "so nothing would be sent; raise one of them."
        ),
    ),
}


@pytest.mark.parametrize(("changes", "problem"), CASES.values(), ids=CASES.keys())
def test_an_invalid_assumption_is_refused_in_a_sentence(
    changes: dict[str, Any], problem: str
) -> None:
    """Each sentence names the input, what it may be and what it is, and is the only one."""
    with pytest.raises(InvalidWorkload) as refusal:
        Assumptions(**changes)

    assert (problem,) == refusal.value.problems


def test_every_problem_is_listed_at_once() -> None:
    """A wrong value does not hide the next one, nor is it blamed twice."""
    with pytest.raises(InvalidWorkload) as refusal:
        Assumptions(
            concurrent_players=0,
            top_k_share=2,
            regions=("EU", "eu", "eu"),
            popularity="even",
            update_fraction_per_second=0,
            leaderboard_reads_per_player_per_minute=0,
        )

    assert refusal.value.problems == (
        "concurrent_players must be a whole number from 1 to 10,000,000,000; it is 0.",
        "top_k_share must be a number from 0 up to 1; it is 2.",
        "regions holds 'EU', but a name is 1 to 32 characters of a-z, 0-9 and '-'.",
        "regions holds 'eu' more than once; name each one once.",
        "popularity must be one of uniform, hot-partition, zipf; it is 'even'.",
        (
            "update_fraction_per_second and leaderboard_reads_per_player_per_minute are both 0, "
            "so nothing would be sent; raise one of them."
        ),
    )
    assert "\n".join(refusal.value.problems) == str(refusal.value)


def test_the_limits_themselves_are_allowed() -> None:
    """Everyone writes every second, all reads are of one kind, one partition has it all."""
    assumptions = Assumptions(
        update_fraction_per_second=1,
        leaderboard_reads_per_player_per_minute=0,
        top_k_share=1,
        around_me_share=0,
        regions=("x" * 32,),
        modes=("-",),
        active_seasons=("0",),
        hot_partition_multiplier=1,
    )

    assert assumptions.hot_partition_multiplier == 1


def test_a_refusal_survives_a_trip_between_processes() -> None:
    """The problems of a pickled error are still separate sentences."""
    error = InvalidWorkload(("One.", "Two."))

    assert pickle.loads(pickle.dumps(error)).problems == ("One.", "Two.")  # noqa: S301  # our own bytes
