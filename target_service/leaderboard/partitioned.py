"""The partitioned mode: every partition has a key of its own."""

from target_service.leaderboard.layout import partition_key


class PartitionedLayout:
    """Serves every partition from the key that bears its name."""

    def key(self, region: str, mode: str, season: str) -> str:
        """Return the partition's own key."""
        return partition_key(region, mode, season)
