"""Copies of an event's state: what the ledger said at one moment, ready to be sent."""

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from target_service.odometer import documents, event_rows
from target_service.odometer.event import Event, State
from target_service.redis_wire.command import Command, Reply, Uncounted
from target_service.redis_wire.packing import pack

# A copy older than this many refresh intervals is not served while the ledger can be asked.
STALE_INTERVALS = 5
STALE_AT_LEAST_MS = 2_000
OVERDUE_INTERVALS = 1.5
# So that a database the service has left is tidy an hour later.
_KEPT_MS = 3_600_000

# A projector that slept past its lease must not put back what its successor has written, nor a
# write that got stuck on its way what a later one has. An earlier time alone says neither: of a
# later token, it says that the clock was set back. Whatever else stands under the name makes room.
# Sent as EVAL, once per interval: EVALSHA is what the boards are counted by.
_SCRIPT = f"""
local held = {{}}
if redis.call('TYPE', KEYS[1]).ok == 'hash' then
  held = redis.call('HMGET', KEYS[1], 'ledger', 'token', 'as_of_ms')
else
  redis.call('UNLINK', KEYS[1])
end
if held[1] == ARGV[1] and (tonumber(held[2]) or 0) >= tonumber(ARGV[7])
    and (tonumber(held[3]) or 0) > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'ledger', ARGV[1], 'as_of_ms', ARGV[2], 'refresh_ms', ARGV[3],
           'is_final', ARGV[4], 'v1', ARGV[5], 'v2', ARGV[6], 'token', ARGV[7],
           'progress', ARGV[8])
redis.call('PEXPIRE', KEYS[1], {_KEPT_MS})
return 1
"""


class Mark(NamedTuple):
    """How new what was answered is: the moment, and how far the event had come by then."""

    as_of_ms: int
    progress: int


NOTHING_ANSWERED = Mark(0, 0)


class Copy(NamedTuple):
    """Every version of an event's state as of one moment; `progress` only ever rises."""

    as_of_ms: int
    refresh_ms: int
    is_final: bool
    v1: bytes
    v2: bytes
    progress: int = 0

    def undercuts(self, answered: Mark) -> bool:
        """Tell whether a client that was told what was answered would see something go back."""
        return self.as_of_ms < answered.as_of_ms or self.progress < answered.progress

    def is_stale(self, now_ms: int) -> bool:
        """Tell whether the copy is too old to be right; a final total can change no more."""
        oldest_ms = max(STALE_AT_LEAST_MS, STALE_INTERVALS * self.refresh_ms)
        age_ms = now_ms - self.as_of_ms
        return not self.is_final and (age_ms > oldest_ms or self.is_ahead(now_ms))

    def is_behind(self, now_ms: int) -> bool:
        """Tell whether a newer copy is overdue: it is read every refresh interval."""
        return now_ms - self.as_of_ms > OVERDUE_INTERVALS * self.refresh_ms

    def is_ahead(self, now_ms: int) -> bool:
        """Tell whether the clock was set back since: nobody knows how old the copy is."""
        return self.as_of_ms - now_ms > STALE_AT_LEAST_MS


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Copy).decode


def copy_of(event: Event, as_of_ms: int) -> Copy:
    """Return the event's state in every version."""
    return Copy(
        as_of_ms,
        event.configuration.refresh_ms,
        event.final is not None,
        documents.v1(event, as_of_ms),
        documents.v2(event, as_of_ms),
        _progress(event),
    )


def _progress(event: Event) -> int:
    """Return a number that rises with every race that counts, also late, and with every state."""
    return (event.races + event.late) * len(State) + list(State).index(event.state)


def publish(connection: sqlite3.Connection, copies: Mapping[str, Copy]) -> None:
    """Leave copies in the file, for workers that find none in Redis."""
    connection.executemany(
        "REPLACE INTO odometer_copies (event, copy) VALUES (?, ?)",
        [(event_id, _encode(copy)) for event_id, copy in copies.items()],
    )


def read_copy(
    connection: sqlite3.Connection, event_id: str, now_ms: int, answered: Mark = NOTHING_ANSWERED
) -> Copy | None:
    """Return the copy that was left in the file, or where it is of no use the event as it is now.

    Two workers that read the event itself in the same interval say the same moment, or one would
    follow the other for ever.
    """
    row = connection.execute(
        "SELECT copy FROM odometer_copies WHERE event = ?", (event_id,)
    ).fetchone()
    if row is not None:
        left: Copy = _decode(row[0])
        if not (left.is_behind(now_ms) or left.is_ahead(now_ms) or left.undercuts(answered)):
            return left
    event = event_rows.find(connection, event_id)
    if event is None:
        return None
    as_of_ms = now_ms - now_ms % event.configuration.refresh_ms
    if as_of_ms < answered.as_of_ms <= now_ms:
        as_of_ms = answered.as_of_ms
    return copy_of(event, as_of_ms)


def total_key(event_id: str) -> str:
    """Return the key every poll would read, were it not for the workers' copies."""
    return f"odometer:{event_id}"


def fetching(event_id: str) -> Command:
    """Return the one command that reads a copy; nothing else of the service sends HGETALL."""
    return Command(pack("HGETALL", total_key(event_id)), Uncounted())


def fetched(reply: Reply, ledger_id: str) -> Copy | None:
    """Return the copy a reply holds, if it is a whole one and of this ledger."""
    told = dict(zip(reply[::2], reply[1::2], strict=True))
    if told.get("ledger") != ledger_id:
        return None
    try:
        return Copy(
            int(told["as_of_ms"]),
            int(told["refresh_ms"]),
            told["is_final"] == "1",
            told["v1"].encode(),
            told["v2"].encode(),
            int(told["progress"]),
        )
    except (KeyError, ValueError):
        return None


def storing(event_id: str, copy: Copy, ledger_id: str, token: int) -> Command:
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
            str(token),
            str(copy.progress),
        ),
        Uncounted(),
    )
