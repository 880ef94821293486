"""Unlocks that wait to be published, in the order they were stored."""

import sqlite3

import msgspec

from target_service.ledger.leases import Lease, acquire_lease, renew_lease

LEASE = "achievements-outbox"
LEASE_MS = 10_000

_WAITING = (
    "SELECT json_group_array(json_array(number, member, achievement, level, points, at_ms)) FROM"
    " (SELECT number, member, achievement, level, points, at_ms FROM achievement_unlocks"
    " WHERE number > (SELECT published_to FROM achievement_state) ORDER BY number LIMIT ?)"
)
Frame = tuple[int, str, str, int, int, int]
_frames = msgspec.json.Decoder(list[Frame]).decode


def waiting(connection: sqlite3.Connection, at_most: int) -> tuple[str, list[Frame]]:
    """The ledger's identity, and the first unlocks not known to be on the stream."""
    (ledger_id,) = connection.execute("SELECT ledger_id FROM state").fetchone()
    (text,) = connection.execute(_WAITING, (at_most,)).fetchone()
    return ledger_id, _frames(text)


def take(connection: sqlite3.Connection, now_ms: int, owner: str) -> Lease | None:
    """Take the lease if it is free, has run out, or is the owner's own."""
    return acquire_lease(connection, LEASE, owner, LEASE_MS, now_ms)


def published(connection: sqlite3.Connection, now_ms: int, lease: Lease, up_to: int) -> None:
    """Move the mark forward and keep the lease; raises LeaseLost when somebody has taken it."""
    renew_lease(connection, lease, LEASE_MS, now_ms)
    connection.execute("UPDATE achievement_state SET published_to = max(published_to, ?)", (up_to,))
