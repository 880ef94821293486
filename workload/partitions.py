"""The Redis keys of the boards: one per region, mode and season, and the global one."""

from itertools import product

from workload.assumptions import Assumptions


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
