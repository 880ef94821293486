"""The traffic model: rates and sizes derived from the assumptions, in exact arithmetic."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from workload.assumptions import Assumptions
from workload.decimals import exact
from workload.scale import scaled_players


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
