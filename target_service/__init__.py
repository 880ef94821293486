"""The system under test: a lean leaderboard service on Redis sorted sets."""

__version__ = "0.1.0"
