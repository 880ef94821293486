"""What is assumed about the players; only their number is a requirement."""

from dataclasses import asdict, dataclass
from typing import Final

from workload.validity import assumption_problems

FIXED_REQUIREMENTS: Final = ("concurrent_players",)


class InvalidWorkload(ValueError):
    """The one error of this package: everything wrong with a workload, as sentences."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


@dataclass(frozen=True)
class Assumptions:
    """The inputs of the model; all but the player count are guesses for telemetry to replace.

    Numbers are decimal: 0.02 stands for exactly 2/100 in everything derived from it.
    """

    concurrent_players: int = 12_000_000
    update_fraction_per_second: float = 0.02
    leaderboard_reads_per_player_per_minute: float = 0.5
    top_k_share: float = 0.25
    around_me_share: float = 0.75
    regions: tuple[str, ...] = ("na-east", "na-west", "eu", "apac")
    modes: tuple[str, ...] = ("solo", "duo", "squad")
    active_seasons: tuple[str, ...] = ("s1",)
    hot_partition_multiplier: float = 2.0
    popularity: str = "uniform"
    # The median exponent of the public Twitter cache traces (March 2020, 51 clusters).
    zipf_exponent: float = 1.21

    @property
    def unused(self) -> tuple[str, ...]:
        """The inputs that nothing depends on, given the others."""
        return () if self.popularity == "zipf" else ("zipf_exponent",)

    def __post_init__(self) -> None:
        problems = assumption_problems(asdict(self))
        if problems:
            raise InvalidWorkload(tuple(problems))
