"""What tells the modes apart: which Redis key serves a partition."""

from typing import Literal, Protocol

Mode = Literal["naive", "partitioned"]


class Layout(Protocol):
    """Places partitions on Redis keys."""

    def key(self, region: str, mode: str, season: str) -> str:
        """Return the Redis key that serves the partition."""


def partition_key(region: str, mode: str, season: str) -> str:
    """Return the partition's name."""
    return f"lb:{region}:{mode}:{season}"
