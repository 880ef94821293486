"""The leaderboard: boards, their keys, and one file per operation."""
