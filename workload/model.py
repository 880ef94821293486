"""The traffic model: scale, partitions, rates and sizes derived in exact arithmetic."""

import math
from dataclasses import dataclass
from decimal import ROUND_UP, Context, Decimal
from fractions import Fraction
from itertools import product
from math import floor
from typing import Final

from workload.assumptions import Assumptions, InvalidWorkload
from workload.fields import decimal_text, exact, shown

LARGEST_SCALE: Final = 100


def scale_from_text(text: str) -> Fraction:
    """Read a scale such as 0.001 exactly."""
    try:
        # The float is asked first: the exact fraction of 1e-999999999 would never be finished.
        roughly = float(text)
    except ValueError:
        roughly = math.nan
    if not 0 < roughly <= LARGEST_SCALE:
        problem = (
            f"SCALE must be a decimal number above 0 and up to {LARGEST_SCALE}, such as 0.001; "
            f"it is {shown(text)}."
        )
        raise InvalidWorkload((problem,))
    return Fraction(text.strip())


def scaled_players(players: int, scale: Fraction) -> int:
    """Scale a number of players to a whole number, which may not be 0."""
    scaled = math.floor(players * scale)
    if scaled < 1:
        # Rounded up: the scale in the sentence must itself leave a player.
        enough = Context(prec=3, rounding=ROUND_UP).divide(Decimal(1), Decimal(players))
        problem = (
            f"A scale of {float(scale):g} leaves none of the {players:,} players; "
            f"use {enough:g} or more."
        )
        raise InvalidWorkload((problem,))
    return scaled


def partition_keys(assumptions: Assumptions) -> tuple[str, ...]:
    """List the partition keys in product order, region outermost."""
    return tuple(
        f"lb:{region}:{mode}:{season}"
        for region, mode, season in product(
            assumptions.regions, assumptions.modes, assumptions.active_seasons
        )
    )


def global_key(season: str) -> str:
    """Name the one key that holds every player of a season in naive mode."""
    return f"lb:global:all:{season}"


@dataclass(frozen=True)
class TrafficModel:
    """What the assumptions add up to; whole numbers are rounded down, as a count is."""

    assumptions: Assumptions

    @property
    def score_updates_per_second(self) -> int:
        """Count the score writes of a peak second."""
        return floor(self._updates())

    @property
    def leaderboard_reads_per_second(self) -> int:
        """Count the leaderboard reads of a peak second."""
        return floor(self._reads())

    @property
    def top_k_reads_per_second(self) -> int:
        """Count the reads that ask for the best players."""
        return floor(self._reads() * exact(self.assumptions.top_k_share))

    @property
    def around_me_reads_per_second(self) -> int:
        """Count the reads that ask for a player's neighbours."""
        return floor(self._reads() * exact(self.assumptions.around_me_share))

    @property
    def active_partition_count(self) -> int:
        """Count the partitions: one per region, mode and season."""
        assumed = self.assumptions
        return len(assumed.regions) * len(assumed.modes) * len(assumed.active_seasons)

    @property
    def average_players_per_partition(self) -> int:
        """Spread the players evenly over the partitions."""
        return self.assumptions.concurrent_players // self.active_partition_count

    @property
    def hot_partition_players(self) -> int:
        """Size the hot partition to plan for."""
        return floor(self._hot_share() * self.assumptions.concurrent_players)

    @property
    def average_updates_per_partition_per_second(self) -> int:
        """Spread the score writes evenly over the partitions."""
        return floor(self._updates() / self.active_partition_count)

    @property
    def hot_updates_per_partition_per_second(self) -> int:
        """Count the score writes of the hot partition to plan for."""
        return floor(self._updates() * self._hot_share())

    def derived(self) -> dict[str, int]:
        """Give every derived number by its name, for a run's record."""
        return {
            "score_updates_per_second": self.score_updates_per_second,
            "leaderboard_reads_per_second": self.leaderboard_reads_per_second,
            "top_k_reads_per_second": self.top_k_reads_per_second,
            "around_me_reads_per_second": self.around_me_reads_per_second,
            "active_partition_count": self.active_partition_count,
            "average_players_per_partition": self.average_players_per_partition,
            "hot_partition_players": self.hot_partition_players,
            "average_updates_per_partition_per_second": (
                self.average_updates_per_partition_per_second
            ),
            "hot_updates_per_partition_per_second": self.hot_updates_per_partition_per_second,
        }

    def operation_rates(self, scale: Fraction | float = 1) -> dict[str, Fraction]:
        """Give the exact requests per second of each operation at a scale."""
        factor = exact(scale)
        reads = self._reads() * factor
        return {
            "submit": self._updates() * factor,
            "top": reads * exact(self.assumptions.top_k_share),
            "around": reads * exact(self.assumptions.around_me_share),
        }

    def players(self, scale: Fraction | float = 1) -> int:
        """Count the players at a scale; at least one must remain."""
        return scaled_players(self.assumptions.concurrent_players, exact(scale))

    def _updates(self) -> Fraction:
        assumed = self.assumptions
        return assumed.concurrent_players * exact(assumed.update_fraction_per_second)

    def _reads(self) -> Fraction:
        assumed = self.assumptions
        per_minute = exact(assumed.leaderboard_reads_per_player_per_minute)
        return assumed.concurrent_players * per_minute / 60

    def _hot_share(self) -> Fraction:
        return exact(self.assumptions.hot_partition_multiplier) / self.active_partition_count


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
