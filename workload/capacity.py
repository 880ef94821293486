"""The capacity report: what the assumptions ask of the boards, in fourteen lines."""

from workload.decimals import decimal_text
from workload.model import TrafficModel


def capacity_report(model: TrafficModel) -> list[str]:
    """Write the fourteen lines, assumptions first, without asking any server."""
    assumed = model.assumptions
    update_percent = decimal_text(assumed.update_fraction_per_second, times=100)
    reads = decimal_text(assumed.leaderboard_reads_per_player_per_minute)
    average_updates = model.average_updates_per_partition_per_second
    return [
        f"{_headline(assumed.concurrent_players)} PLAYER WORKLOAD MODEL",
        "Scenario assumptions, not measured production traffic",
        f"Concurrent players: {assumed.concurrent_players:,}",
        f"Peak score-update assumption: {update_percent}% of players per second",
        f"Leaderboard-read assumption: {reads} reads/player/minute",
        f"Peak score updates/s: {model.score_updates_per_second:,}",
        f"Leaderboard reads/s: {model.leaderboard_reads_per_second:,}",
        f"Top-K reads/s: {model.top_k_reads_per_second:,}",
        f"Around-me reads/s: {model.around_me_reads_per_second:,}",
        f"Active partitions: {model.active_partition_count:,}",
        f"Average players/active partition: {model.average_players_per_partition:,}",
        f"Hot-partition planning size: {model.hot_partition_players:,} players",
        f"Average projected updates/partition/s: {average_updates:,}",
        f"Hot projected updates/partition/s: {model.hot_updates_per_partition_per_second:,}",
    ]


def _headline(players: int) -> str:
    millions, rest = divmod(players, 1_000_000)
    return f"{players:,}" if rest else f"{millions:,} MILLION"
