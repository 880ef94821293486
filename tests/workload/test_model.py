"""Scale, partitions, the derived rates and the report of them, in exact arithmetic."""

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workload.assumptions import FIXED_REQUIREMENTS, Assumptions, InvalidWorkload
from workload.model import (
    TrafficModel,
    capacity_report,
    global_key,
    partition_keys,
    scale_from_text,
    scaled_players,
)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("0.001", Fraction(1, 1000)),
        ("1", Fraction(1)),
        (" 1e-3 ", Fraction(1, 1000)),
        ("100", Fraction(100)),
    ],
)
def test_a_scale_is_the_decimal_it_is_written_as(text: str, scale: Fraction) -> None:
    """A thousandth is exactly a thousandth."""
    assert scale == scale_from_text(text)


@pytest.mark.parametrize(
    "text", ["0", "-1", "nan", "inf", "100.1", "1e400", "1e-999999999", "1/1000", "", "small"]
)
def test_any_other_scale_is_refused(text: str) -> None:
    """The sentence shows what was written."""
    with pytest.raises(InvalidWorkload) as refusal:
        scale_from_text(text)

    assert (
        f"SCALE must be a decimal number above 0 and up to 100, such as 0.001; it is {text!r}.",
    ) == refusal.value.problems


def test_players_are_scaled_down_to_a_whole_number() -> None:
    """Part of a player is no player."""
    assert scaled_players(12_999, Fraction(1, 1000)) == 12


def test_the_baseline_has_twelve_keys_in_product_order() -> None:
    """Region is outermost, season innermost."""
    assert partition_keys(Assumptions()) == (
        "lb:na-east:solo:s1",
        "lb:na-east:duo:s1",
        "lb:na-east:squad:s1",
        "lb:na-west:solo:s1",
        "lb:na-west:duo:s1",
        "lb:na-west:squad:s1",
        "lb:eu:solo:s1",
        "lb:eu:duo:s1",
        "lb:eu:squad:s1",
        "lb:apac:solo:s1",
        "lb:apac:duo:s1",
        "lb:apac:squad:s1",
    )


def test_seasons_are_the_innermost_part_of_the_product() -> None:
    """Two seasons of one board are neighbours."""
    assumptions = Assumptions(regions=("eu",), modes=("solo", "duo"), active_seasons=("s1", "s2"))

    assert partition_keys(assumptions) == (
        "lb:eu:solo:s1",
        "lb:eu:solo:s2",
        "lb:eu:duo:s1",
        "lb:eu:duo:s2",
    )


def test_the_global_key_names_its_season() -> None:
    """One key holds all players of a season."""
    assert global_key("s1") == "lb:global:all:s1"


# A busy machine is no wrong answer.
PATIENT = settings(deadline=None)
BASELINE = {
    "score_updates_per_second": 240_000,
    "leaderboard_reads_per_second": 100_000,
    "top_k_reads_per_second": 25_000,
    "around_me_reads_per_second": 75_000,
    "active_partition_count": 12,
    "average_players_per_partition": 1_000_000,
    "hot_partition_players": 2_000_000,
    "average_updates_per_partition_per_second": 20_000,
    "hot_updates_per_partition_per_second": 40_000,
}


def test_the_baseline_gives_the_documented_numbers() -> None:
    """Twelve million players make 240,000 writes and 100,000 reads a second."""
    assert TrafficModel(Assumptions()).derived() == BASELINE


def test_each_derived_number_can_be_read_by_its_name() -> None:
    """The record of derived numbers and the properties are the same numbers."""
    model = TrafficModel(Assumptions())

    assert {name: getattr(model, name) for name in BASELINE} == BASELINE


def test_more_updates_leave_the_reads_unchanged() -> None:
    """An update fraction of 0.25 gives 3,000,000 updates a second and touches no read."""
    changed = TrafficModel(replace(Assumptions(), update_fraction_per_second=0.25)).derived()

    assert changed == {
        **BASELINE,
        "score_updates_per_second": 3_000_000,
        "average_updates_per_partition_per_second": 250_000,
        "hot_updates_per_partition_per_second": 500_000,
    }


def test_restoring_an_assumption_restores_the_baseline_exactly() -> None:
    """Nothing of a change stays behind."""
    changed = replace(Assumptions(), update_fraction_per_second=0.25)
    restored = replace(changed, update_fraction_per_second=0.02)

    assert Assumptions() == restored
    assert TrafficModel(restored).derived() == BASELINE


def test_the_player_count_is_the_only_requirement() -> None:
    """Every other input is an assumption."""
    assert FIXED_REQUIREMENTS == ("concurrent_players",)


def test_assumptions_cannot_be_changed_in_place() -> None:
    """The values are frozen."""
    with pytest.raises(FrozenInstanceError):
        Assumptions().top_k_share = 0.5  # type: ignore[misc]  # the point of the test


def test_a_scale_multiplies_players_and_rates_alike() -> None:
    """A thousandth is 12,000 players and 240, 25 and 75 requests a second, exactly."""
    model = TrafficModel(Assumptions())

    assert model.operation_rates(0.001) == {"submit": 240, "top": 25, "around": 75}
    assert model.players(0.001) == 12_000
    assert model.operation_rates() == {"submit": 240_000, "top": 25_000, "around": 75_000}
    assert model.players() == 12_000_000


def test_rates_keep_their_fractions() -> None:
    """A rate that is no whole number is not rounded before it is sent."""
    rates = TrafficModel(Assumptions(concurrent_players=7)).operation_rates(Fraction(1, 3))

    assert {
        "submit": Fraction(7, 150),
        "top": Fraction(7, 1440),
        "around": Fraction(7, 480),
    } == rates


def test_derived_counts_are_rounded_down_once() -> None:
    """Seven players: 0.14 writes are 0 writes, and nothing is derived from a rounded number."""
    model = TrafficModel(
        replace(
            Assumptions(),
            concurrent_players=1_000,
            regions=("eu",),
            update_fraction_per_second=0.0999,
            leaderboard_reads_per_player_per_minute=0.1,
        )
    )

    assert model.score_updates_per_second == 99
    assert model.average_players_per_partition == 333
    assert model.hot_partition_players == 666
    assert model.average_updates_per_partition_per_second == 33
    assert model.hot_updates_per_partition_per_second == 66
    assert model.leaderboard_reads_per_second == 1
    assert model.top_k_reads_per_second == 0


def test_a_scale_that_leaves_no_player_is_refused_with_one_that_does() -> None:
    """Nothing is left of 12,000,000 players at a ten-billionth; the advice leaves one."""
    with pytest.raises(InvalidWorkload) as refusal:
        TrafficModel(Assumptions()).players(Fraction(1, 10**10))

    assert refusal.value.problems == (
        "A scale of 1e-10 leaves none of the 12,000,000 players; use 8.34e-8 or more.",
    )
    assert TrafficModel(Assumptions()).players(scale_from_text("8.34e-8")) == 1


@PATIENT
@given(
    players=st.integers(1, 10**10),
    thousandths=st.integers(1, 1000),
    share=st.integers(0, 100),
    reads=st.integers(0, 6_000),
)
def test_decimal_assumptions_are_computed_in_decimals(
    players: int, thousandths: int, share: int, reads: int
) -> None:
    """Whatever a float makes of a decimal, the rates are those of the decimal."""
    model = TrafficModel(
        Assumptions(
            concurrent_players=players,
            update_fraction_per_second=float(f"{thousandths / 1000:.3f}"),
            leaderboard_reads_per_player_per_minute=reads / 10,
            top_k_share=float(f"{share / 100:.2f}"),
            around_me_share=float(f"{(100 - share) / 100:.2f}"),
        )
    )
    rates = model.operation_rates(0.001)

    assert Fraction(players * thousandths, 1_000_000) == rates["submit"]
    assert Fraction(players * reads, 600_000) == rates["top"] + rates["around"]
    assert rates["top"] * (100 - share) == rates["around"] * share
    assert players * thousandths // 1_000 == model.score_updates_per_second


def test_the_baseline_report_is_these_fourteen_lines() -> None:
    """Every label and every number, in order."""
    assert capacity_report(TrafficModel(Assumptions())) == [
        "12 MILLION PLAYER WORKLOAD MODEL",
        "Scenario assumptions, not measured production traffic",
        "Concurrent players: 12,000,000",
        "Peak score-update assumption: 2.0% of players per second",
        "Leaderboard-read assumption: 0.5 reads/player/minute",
        "Peak score updates/s: 240,000",
        "Leaderboard reads/s: 100,000",
        "Top-K reads/s: 25,000",
        "Around-me reads/s: 75,000",
        "Active partitions: 12",
        "Average players/active partition: 1,000,000",
        "Hot-partition planning size: 2,000,000 players",
        "Average projected updates/partition/s: 20,000",
        "Hot projected updates/partition/s: 40,000",
    ]


def test_changed_assumptions_show_in_every_line_they_touch() -> None:
    """No line keeps a baseline value, and no small fraction is rounded to nothing."""
    assumptions = Assumptions(
        concurrent_players=1_500_000,
        update_fraction_per_second=0.000125,
        leaderboard_reads_per_player_per_minute=2,
        top_k_share=0.1,
        around_me_share=0.9,
        regions=("eu",),
        hot_partition_multiplier=1.5,
    )

    assert capacity_report(TrafficModel(assumptions)) == [
        "1,500,000 PLAYER WORKLOAD MODEL",
        "Scenario assumptions, not measured production traffic",
        "Concurrent players: 1,500,000",
        "Peak score-update assumption: 0.0125% of players per second",
        "Leaderboard-read assumption: 2.0 reads/player/minute",
        "Peak score updates/s: 187",
        "Leaderboard reads/s: 50,000",
        "Top-K reads/s: 5,000",
        "Around-me reads/s: 45,000",
        "Active partitions: 3",
        "Average players/active partition: 500,000",
        "Hot-partition planning size: 750,000 players",
        "Average projected updates/partition/s: 62",
        "Hot projected updates/partition/s: 93",
    ]


def test_a_quarter_of_the_players_is_twenty_five_percent() -> None:
    """The sensitivity example reads as it is spoken."""
    report = capacity_report(TrafficModel(Assumptions(update_fraction_per_second=0.25)))

    assert report[3] == "Peak score-update assumption: 25.0% of players per second"
    assert report[5] == "Peak score updates/s: 3,000,000"
