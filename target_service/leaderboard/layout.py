"""What tells the modes apart: which Redis key serves a partition."""

from typing import Literal, Protocol

Mode = Literal["naive", "partitioned"]


class Layout(Protocol):
    """Places partitions on Redis keys."""

    def key(self, region: str, mode: str, season: str) -> str:
        """Return the Redis key that serves the partition."""


def global_board(season: str) -> str:
    """Return the name of the ranking over all partitions of a season."""
    return f"lb:global:all:{season}"


def partition_key(region: str, mode: str, season: str) -> str:
    """Return the partition's name."""
    return f"lb:{region}:{mode}:{season}"
