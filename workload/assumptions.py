"""What is assumed about the players, and what makes a set of assumptions valid.

Only the number of players is a requirement.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final

from workload.fields import Choice, Field, Names, Number, WholeNumber, exact, field_problems

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


ASSUMPTION_FIELDS: Final[Mapping[str, Field]] = MappingProxyType(
    {
        # More players than there are people is a slip of the finger.
        "concurrent_players": WholeNumber(1, 10_000_000_000),
        "update_fraction_per_second": Number(0, 1),
        "leaderboard_reads_per_player_per_minute": Number(0, 6_000),
        "top_k_share": Number(0, 1),
        "around_me_share": Number(0, 1),
        "regions": Names("na-east,eu"),
        "modes": Names("solo,duo"),
        "active_seasons": Names("s1"),
        # The true upper bound is the number of partitions, which is checked below.
        "hot_partition_multiplier": Number(1, 1_000_000),
        "popularity": Choice(("uniform", "hot-partition", "zipf")),
        "zipf_exponent": Number(0, 100, low_allowed=False),
    }
)


def assumption_problems(values: Mapping[str, Any]) -> list[str]:
    """List everything wrong with a full set of assumptions, as sentences."""
    wrong = field_problems(ASSUMPTION_FIELDS, values)
    # A value that is wrong by itself would only be blamed twice by what it should agree with.
    agreements = (
        check(values) for names, check in _AGREEMENTS.items() if wrong.keys().isdisjoint(names)
    )
    problems = [problem for sentences in wrong.values() for problem in sentences]
    return problems + [problem for problem in agreements if problem]


def _shares_problem(values: Mapping[str, Any]) -> str | None:
    top, around = values["top_k_share"], values["around_me_share"]
    if exact(top) + exact(around) == 1:
        return None
    return f"top_k_share and around_me_share must add up to 1; they are {top} and {around}."


def _multiplier_problem(values: Mapping[str, Any]) -> str | None:
    partitions = len(values["regions"]) * len(values["modes"]) * len(values["active_seasons"])
    multiplier = values["hot_partition_multiplier"]
    if multiplier <= partitions:
        return None
    return (
        f"hot_partition_multiplier must be at most the number of partitions, {partitions}, because "
        f"one partition cannot hold more than all players; it is {multiplier:g}."
    )


def _global_key_problem(values: Mapping[str, Any]) -> str | None:
    if "global" in values["regions"] and "all" in values["modes"]:
        return (
            "Region 'global' with mode 'all' would take the key of the global board; "
            "rename one of them."
        )
    return None


def _idle_problem(values: Mapping[str, Any]) -> str | None:
    if values["update_fraction_per_second"] or values["leaderboard_reads_per_player_per_minute"]:
        return None
    return (
        "update_fraction_per_second and leaderboard_reads_per_player_per_minute are both 0, "
        "so nothing would be sent; raise one of them."
    )


_AGREEMENTS: Final[Mapping[tuple[str, ...], Callable[[Mapping[str, Any]], str | None]]] = (
    MappingProxyType(
        {
            ("top_k_share", "around_me_share"): _shares_problem,
            (
                "regions",
                "modes",
                "active_seasons",
                "hot_partition_multiplier",
            ): _multiplier_problem,
            ("regions", "modes"): _global_key_problem,
            (
                "update_fraction_per_second",
                "leaderboard_reads_per_player_per_minute",
            ): _idle_problem,
        }
    )
)
