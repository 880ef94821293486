"""The capacity report, line by line."""

from workload.assumptions import Assumptions
from workload.capacity import capacity_report
from workload.model import TrafficModel


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
