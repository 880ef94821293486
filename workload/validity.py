"""What makes a set of assumptions valid: each value by itself, then what must agree."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from workload.decimals import exact
from workload.fields import Choice, Field, Names, Number, WholeNumber, field_problems

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
