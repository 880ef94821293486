"""Holds: rows that ask a background job to stand still until a time."""

import sqlite3


def hold(connection: sqlite3.Connection, name: str, until_ms: int) -> None:
    """Ask the job of this name to stand still until the time."""
    connection.execute(
        "INSERT OR REPLACE INTO holds (name, until_ms) VALUES (?, ?)", (name, until_ms)
    )


def let_go(connection: sqlite3.Connection, name: str) -> None:
    """Let the job go on at once."""
    connection.execute("DELETE FROM holds WHERE name = ?", (name,))


def held(connection: sqlite3.Connection, now_ms: int) -> tuple[str, ...]:
    """Name the jobs that should stand still now."""
    rows = connection.execute("SELECT name FROM holds WHERE until_ms > ? ORDER BY name", (now_ms,))
    return tuple(name for (name,) in rows)
