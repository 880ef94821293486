"""Leases with fencing tokens, and pauses of jobs, as rows beside what they protect."""

import sqlite3
from dataclasses import dataclass

from target_service.ledger.errors import LeaseLost

# A healthy clock is corrected by up to this much; no lease counts as run out for that.
_SLACK_MS = 1_000


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease that its owner holds; the tokens of one name only ever go up."""

    name: str
    owner: str
    token: int


def acquire_lease(
    connection: sqlite3.Connection, name: str, owner: str, lasts_ms: int, now_ms: int
) -> Lease | None:
    """Take the lease if it is free, has run out, or is the owner's own; None if it is not.

    A lease that would last longer than leases do was taken before the clock was set back, and
    counts as run out: its owner may be gone, and the token keeps two owners from writing.
    """
    row = connection.execute(
        "INSERT INTO leases (name, owner, token, until_ms) VALUES (?, ?, 1, ?)"
        " ON CONFLICT (name) DO UPDATE SET"
        " owner = excluded.owner, token = token + 1, until_ms = excluded.until_ms"
        " WHERE until_ms <= ? OR until_ms > ? OR owner = excluded.owner RETURNING token",
        (name, owner, now_ms + lasts_ms, now_ms, _latest(now_ms, lasts_ms)),
    ).fetchone()
    return None if row is None else Lease(name, owner, row[0])


def may_acquire_lease(
    connection: sqlite3.Connection, name: str, owner: str, lasts_ms: int, now_ms: int
) -> bool:
    """Tell whether taking the lease would succeed, without a write."""
    row = connection.execute(
        "SELECT owner, until_ms FROM leases WHERE name = ?", (name,)
    ).fetchone()
    return row is None or row[0] == owner or not now_ms < row[1] <= _latest(now_ms, lasts_ms)


def renew_lease(connection: sqlite3.Connection, lease: Lease, lasts_ms: int, now_ms: int) -> None:
    """Hold the lease for longer; raises LeaseLost when another owner has taken it since."""
    renewed = connection.execute(
        "UPDATE leases SET until_ms = ? WHERE name = ? AND token = ?",
        (now_ms + lasts_ms, lease.name, lease.token),
    )
    if not renewed.rowcount:
        raise _lost(lease)


def require_lease(connection: sqlite3.Connection, lease: Lease) -> None:
    """Raise LeaseLost unless the lease is still this one; for the transaction it protects."""
    row = connection.execute("SELECT token FROM leases WHERE name = ?", (lease.name,)).fetchone()
    if row != (lease.token,):
        raise _lost(lease)


def release_lease(connection: sqlite3.Connection, lease: Lease) -> None:
    """Free the lease at once; the row stays, so that tokens never start again."""
    connection.execute(
        "UPDATE leases SET until_ms = 0 WHERE name = ? AND token = ?", (lease.name, lease.token)
    )


def release_owned_lease(connection: sqlite3.Connection, name: str, owner: str) -> None:
    """Free the lease at once if the owner has it; for an owner that kept no token."""
    connection.execute("UPDATE leases SET until_ms = 0 WHERE name = ? AND owner = ?", (name, owner))


def _latest(now_ms: int, lasts_ms: int) -> int:
    """The latest time at which a lease taken by a correct clock runs out."""
    return now_ms + lasts_ms + _SLACK_MS


def _lost(lease: Lease) -> LeaseLost:
    return LeaseLost(f"The lease {lease.name!r} was taken from {lease.owner!r}.")


def pause_job(connection: sqlite3.Connection, name: str, until_ms: int) -> None:
    """Pause the job of this name until the time."""
    connection.execute(
        "INSERT OR REPLACE INTO holds (name, until_ms) VALUES (?, ?)", (name, until_ms)
    )


def resume_job(connection: sqlite3.Connection, name: str) -> None:
    """Let the job continue at once."""
    connection.execute("DELETE FROM holds WHERE name = ?", (name,))


def paused_jobs(connection: sqlite3.Connection, now_ms: int) -> tuple[str, ...]:
    """Name the jobs that are paused now."""
    rows = connection.execute("SELECT name FROM holds WHERE until_ms > ? ORDER BY name", (now_ms,))
    return tuple(name for (name,) in rows)
