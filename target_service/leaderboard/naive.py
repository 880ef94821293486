"""The naive mode: one global key takes everything."""

from target_service.leaderboard.layout import global_board


class NaiveLayout:
    """Serves every partition of a season from that season's one key."""

    def key(self, region: str, mode: str, season: str) -> str:  # noqa: ARG002  (the protocol's)
        """Return the season's global key."""
        return global_board(season)
