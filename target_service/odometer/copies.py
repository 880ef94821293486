"""Copies of an event's state: what the ledger said at one moment, ready to be sent."""

import sqlite3
from typing import NamedTuple

from target_service.odometer import documents, event_rows
from target_service.odometer.event import Event
from target_service.redis_wire.command import Command, Reply, Uncounted
from target_service.redis_wire.packing import pack

# A copy older than this many refresh intervals is not served while the ledger can be asked.
STALE_INTERVALS = 5
STALE_AT_LEAST_MS = 2_000
# So that a database the service has left is tidy an hour later.
_KEPT_MS = 3_600_000

# A projector that slept past its lease must not put back what its successor has written.
# Sent as EVAL, once per interval: EVALSHA is what the boards are counted by.
_SCRIPT = f"""
local known = redis.call('HGET', KEYS[1], 'as_of_ms')
local owner = redis.call('HGET', KEYS[1], 'ledger')
if known and owner == ARGV[1] and tonumber(known) > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'ledger', ARGV[1], 'as_of_ms', ARGV[2], 'refresh_ms', ARGV[3],
           'is_final', ARGV[4], 'v1', ARGV[5], 'v2', ARGV[6])
redis.call('PEXPIRE', KEYS[1], {_KEPT_MS})
return 1
"""


class Copy(NamedTuple):
    """Every version of an event's state as of one moment."""

    as_of_ms: int
    refresh_ms: int
    is_final: bool
    v1: bytes
    v2: bytes

    def is_stale(self, now_ms: int) -> bool:
        """Tell whether the copy is too old to be served; what is final does not age."""
        oldest_ms = max(STALE_AT_LEAST_MS, STALE_INTERVALS * self.refresh_ms)
        return not self.is_final and now_ms - self.as_of_ms > oldest_ms


def copy_of(event: Event, as_of_ms: int) -> Copy:
    """Return the event's state in every version."""
    return Copy(
        as_of_ms,
        event.configuration.refresh_ms,
        event.final is not None,
        documents.v1(event, as_of_ms),
        documents.v2(event, as_of_ms),
    )


def read_copy(connection: sqlite3.Connection, event_id: str, as_of_ms: int) -> Copy | None:
    """Return the event's state as the ledger has it; None when there is no such event."""
    event = event_rows.find(connection, event_id)
    return None if event is None else copy_of(event, as_of_ms)


def total_key(event_id: str) -> str:
    """Return the key every poll would read, were it not for the workers' copies."""
    return f"odometer:{event_id}"


def fetching(event_id: str) -> Command:
    """Return the one command that reads a copy; nothing else of the service sends HGETALL."""
    return Command(pack("HGETALL", total_key(event_id)), Uncounted())


def fetched(reply: Reply, ledger_id: str) -> Copy | None:
    """Return the copy a reply holds, if it is one of this ledger's."""
    told = dict(zip(reply[::2], reply[1::2], strict=True))
    if told.get("ledger") != ledger_id:
        return None
    return Copy(
        int(told["as_of_ms"]),
        int(told["refresh_ms"]),
        told["is_final"] == "1",
        told["v1"].encode(),
        told["v2"].encode(),
    )


def storing(event_id: str, copy: Copy, ledger_id: str) -> Command:
    """Return the command that sets a copy absolutely, unless a newer one is there."""
    return Command(
        pack(
            "EVAL",
            _SCRIPT,
            "1",
            total_key(event_id),
            ledger_id,
            str(copy.as_of_ms),
            str(copy.refresh_ms),
            str(int(copy.is_final)),
            copy.v1.decode(),
            copy.v2.decode(),
        ),
        Uncounted(),
    )
