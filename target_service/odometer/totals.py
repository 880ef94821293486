"""Copies of an event's state, and reading a community total from them."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple
from zlib import crc32

import msgspec
from redis.exceptions import ResponseError

from target_service.leaderboard.top_store import Floor
from target_service.ledger.bounded_queue import ReadQueue
from target_service.ledger.errors import LedgerError
from target_service.odometer import documents
from target_service.odometer import tables as event_rows
from target_service.odometer.event import Event, State
from target_service.odometer.series import OdometerSeries
from target_service.redis.commands import Command, RedisUnavailable, Reply, Uncounted, pack
from target_service.redis.pipeline import Pipeline

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


Reads = Literal["projected", "direct"]

_REDIS_REST_SECONDS = 1.0
_PLACES = 4_096
# In refresh intervals: how long making a copy may take, and until what age it counts as new.
_MADE_WITHIN = 0.05
_FRESH = 0.2


class _Kept:
    """A worker's copy of one event, and the fetch that is under way."""

    __slots__ = ("copy", "fetch", "fetch_at", "missed")

    def __init__(self) -> None:
        self.copy: Copy | None = None
        self.fetch_at = 0.0
        # What was answered and nothing reaches any more is asked for once, not with every poll.
        self.missed = NOTHING_ANSWERED
        self.fetch: asyncio.Task[str] | None = None

    def must_follow(self, answered: Mark) -> bool:
        """Tell whether another worker has answered from a newer copy."""
        return self.copy is not None and self.copy.undercuts(answered) and answered != self.missed


def _look_at(fetch: asyncio.Task[str]) -> None:
    """A failure that nobody waited for is no news: the next poll fetches again."""
    if not fetch.cancelled():
        fetch.exception()


class Totals:
    """Answers polls from a copy that is fetched at most once per refresh interval.

    However many ask at once, one fetch is under way. What one worker has answered no other
    undercuts: whose copy is older fetches before it answers. In `direct` every poll reads Redis,
    which is there to be compared with. When Redis has no usable copy, the ledger is asked, in
    either mode no more often than the interval.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        questions: ReadQueue,
        reads: Reads,
        series: OdometerSeries,
        now_ms: Callable[[], int],
        floor: Path | None = None,
    ) -> None:
        self.ledger_id = ""
        self._floor = Floor(floor, 2 * _PLACES)
        self._pipeline = pipeline
        self._questions = questions
        self._is_direct = reads == "direct"
        self._now_ms = now_ms
        self._kept: dict[str, _Kept] = {}
        self._redis_again_at = 0.0
        self._count = {
            source: series.reads.labels(source).inc for source in ("cache", "redis", "ledger")
        }

    async def read(self, event_id: str) -> Copy | None:
        """Return the event's state; None when there is no such event."""
        if self._is_direct:
            copy = await self._from_redis(event_id)
            if copy is not None and not copy.undercuts(self._answered(event_id)):
                self._note_answered(event_id, copy)
                self._count["redis"]()
                return copy
        return await self._read_kept(event_id)

    def close(self) -> None:
        """Give back the memory that the workers share."""
        self._floor.close()

    async def _read_kept(self, event_id: str) -> Copy | None:
        kept = self._kept.get(event_id)
        if kept is None:
            kept = self._kept[event_id] = _Kept()
        source = "cache"
        is_due = asyncio.get_running_loop().time() >= kept.fetch_at
        answered = self._answered(event_id)
        while is_due or kept.must_follow(answered):
            is_due = False
            is_first = kept.fetch is None
            if kept.fetch is None:
                kept.fetch = asyncio.create_task(self._refresh(event_id, kept))
                kept.fetch.add_done_callback(_look_at)
            # A client that leaves must not take the others' fetch with it.
            fetched_from = await asyncio.shield(kept.fetch)
            source = fetched_from if is_first else source
            if kept.copy is None:
                break
        self._count[source]()
        return kept.copy

    async def _refresh(self, event_id: str, kept: _Kept) -> str:
        started = asyncio.get_running_loop().time()
        answered = self._answered(event_id)
        try:
            source, copy = "redis", None
            if not self._is_direct:
                copy = await self._from_redis(event_id)
            if copy is None or copy.is_behind(self._now_ms()) or copy.undercuts(answered):
                at_hand = [one for one in (kept.copy, copy) if one is not None]
                source, copy = "ledger", await self._from_ledger(event_id, answered, at_hand)
            if copy is not None:
                self._take(event_id, kept, copy, started)
                kept.missed = answered if copy.undercuts(answered) else NOTHING_ANSWERED
        finally:
            kept.fetch = None
            if kept.copy is None:
                # The event may be made the next moment, and is to be found from then on.
                self._kept.pop(event_id, None)
        return source

    def _take(self, event_id: str, kept: _Kept, copy: Copy, fetched_at: float) -> None:
        """Answer from the copy until one that was made later must be there.

        Counted from the copy's own moment: just after the next one is made, or where that would
        be less than an interval from now, after the one that follows. From then on every copy is
        fetched as soon as it is made, and is hardly more than one interval old in the end.
        """
        kept.copy = copy
        self._note_answered(event_id, copy)
        interval = copy.refresh_ms / 1_000
        age = max(0.0, (self._now_ms() - copy.as_of_ms) / 1_000)
        if age <= _FRESH * interval:
            kept.fetch_at = fetched_at + max(interval, (1 + _MADE_WITHIN) * interval - age)
        else:
            kept.fetch_at = fetched_at + (2 + _MADE_WITHIN) * interval - age

    def _answered(self, event_id: str) -> Mark:
        """Return how new what any worker has answered is; no moment that is still to come."""
        as_of_ms, progress = map(self._floor.at, self._places(event_id))
        return Mark(0 if self._is_to_come(as_of_ms) else as_of_ms, progress)

    def _note_answered(self, event_id: str, copy: Copy) -> None:
        moment, progress = self._places(event_id)
        if self._is_to_come(self._floor.at(moment)):
            self._floor.put(copy.as_of_ms, moment)
        self._floor.rise(copy.as_of_ms, moment)
        self._floor.rise(copy.progress, progress)

    def _is_to_come(self, as_of_ms: int) -> bool:
        """Tell whether the clock was set back since."""
        return as_of_ms - self._now_ms() > STALE_AT_LEAST_MS

    def _places(self, event_id: str) -> tuple[int, int]:
        """Return the event's places in the floor; two that share one ask the ledger more often."""
        place = 2 * (crc32(f"{self.ledger_id} {event_id}".encode()) % _PLACES)
        return place, place + 1

    async def _from_redis(self, event_id: str) -> Copy | None:
        """Return the copy in Redis if it is of use; an unwell Redis gets a rest."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._redis_again_at:
            return None
        try:
            (reply,), _ = await self._pipeline.run((fetching(event_id),))
        except (RedisUnavailable, ResponseError):
            self._redis_again_at = loop.time() + _REDIS_REST_SECONDS
            return None
        copy = fetched(reply, self.ledger_id)
        return None if copy is None or copy.is_stale(self._now_ms()) else copy

    async def _from_ledger(
        self, event_id: str, answered: Mark, at_hand: Sequence[Copy]
    ) -> Copy | None:
        """Ask the ledger; where it cannot be asked, a copy at hand may still be right."""
        now_ms = self._now_ms()
        try:
            return await self._questions.ask(lambda c: read_copy(c, event_id, now_ms, answered))
        except LedgerError:
            usable = [one for one in at_hand if one.is_final or not one.is_stale(now_ms)]
            usable = [one for one in usable if not one.undercuts(answered)]
            if not usable:
                raise
            return max(usable, key=lambda one: one.as_of_ms)
