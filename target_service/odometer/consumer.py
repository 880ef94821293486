"""The job of each worker that takes deliveries from the stream."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic

from redis.exceptions import ResponseError

from target_service.leaderboard.rules import BODY_BYTES
from target_service.ledger.errors import LedgerClosed, LedgerError
from target_service.odometer.intake import Intake
from target_service.odometer.race import BadRaces, Completed, read_races
from target_service.odometer.rules import RACES_AT_ONCE
from target_service.odometer.stream import FIELD, STREAM, Entry, NoStream, Stream
from target_service.problems import FieldProblem
from target_service.redis_wire.errors import RedisUnavailable

logger = logging.getLogger(__name__)

IDLE_SECONDS = 0.05
_NO_STREAM_SECONDS = 1.0
_RETRY_SECONDS = 0.5
# A consumer that is only slow loses entries to others, who make duplicates of them: no harm.
CLAIM_IDLE_MS = 2_000
_DEAD_IDLE_MS = 60_000
_CLAIM_EVERY_SECONDS = 1.0
_TEXT_KEPT = 4_096
# What the connection makes of bytes that are no UTF-8.
_NOT_UTF8 = "\ufffd"


class Consumer:
    """Applies what the stream brings, then acknowledges it, so that nothing is lost on the way.

    What dies in between comes again and is a duplicate. What is no race is kept in
    `odometer_rejected` and acknowledged: it would be none the next time either.
    """

    def __init__(self, stream: Stream, intake: Intake, claim_idle_ms: int = CLAIM_IDLE_MS) -> None:
        self._stream = stream
        self._intake = intake
        self._claim_idle_ms = claim_idle_ms
        self._claim_at = 0.0
        self._trouble = ""

    async def keep(self) -> None:
        """Consume for ever; what fails is tried again."""
        while True:
            pause_seconds = IDLE_SECONDS
            try:
                if await self.look():
                    pause_seconds = 0.0
                self._trouble = ""
            except NoStream:
                pause_seconds = _NO_STREAM_SECONDS
            except ResponseError as error:
                self._tell(str(error))
                pause_seconds = _RETRY_SECONDS
            except (RedisUnavailable, LedgerError):
                pause_seconds = _RETRY_SECONDS
            except Exception:
                logger.exception("The stream's consumer failed; it goes on")
                pause_seconds = _RETRY_SECONDS
            await asyncio.sleep(pause_seconds)

    def _tell(self, trouble: str) -> None:
        """Say once what Redis refuses; the key is the producers' too, so nobody touches it."""
        if trouble != self._trouble:
            self._trouble = trouble
            logger.warning("The stream %s cannot be read; it is tried again: %s", STREAM, trouble)

    async def look(self) -> bool:
        """Take what is there; tell whether there was any."""
        entries = {entry.id: entry for entry in await self._stream.read()}
        if monotonic() >= self._claim_at:
            claimed = await self._stream.claim(self._claim_idle_ms)
            entries |= {entry.id: entry for entry in claimed}
            await self._stream.forget_dead(_DEAD_IDLE_MS)
            self._claim_at = monotonic() + _CLAIM_EVERY_SECONDS
        if entries:
            await self._take(list(entries.values()))
        return bool(entries)

    async def leave(self) -> None:
        """Tell the group that this consumer does not come back, if Redis can be told."""
        with suppress(RedisUnavailable, ResponseError):
            await self._stream.forget_consumer()

    async def _take(self, entries: Sequence[Entry]) -> None:
        """Apply entries, many in a transaction; each is acknowledged once it is on disk."""
        fitting: list[Entry] = []
        races: list[Completed] = []
        for entry in entries:
            try:
                found = await self._intake.fitting(_races_of(entry))
            except BadRaces as error:
                await self._reject(entry, str(error))
                continue
            if len(races) + len(found) > RACES_AT_ONCE:
                await self._apply(fitting, races)
                fitting, races = [], []
            fitting.append(entry)
            races += found
        if races:
            await self._apply(fitting, races)

    async def _apply(self, entries: Sequence[Entry], races: Sequence[Completed]) -> None:
        """Apply; an entry that the ledger cannot even store is told apart from the others."""
        while True:
            try:
                await self._intake.take(races, "stream")
                break
            except LedgerClosed:
                raise
            except LedgerError:
                # They stay pending; whoever claims them meanwhile makes duplicates of these.
                await asyncio.sleep(_RETRY_SECONDS)
            except Exception as error:
                if len(entries) == 1:
                    logger.exception("An entry of the stream cannot be applied")
                    await self._reject(entries[0], f"cannot be applied: {error!r}")
                    return
                for entry in entries:
                    await self._apply([entry], _races_of(entry))
                return
        await self._stream.done([entry.id for entry in entries])

    async def _reject(self, entry: Entry, reason: str) -> None:
        await self._intake.reject(_storable(reason), _storable(entry.text))
        await self._stream.done([entry.id])


def _races_of(entry: Entry) -> list[Completed]:
    if entry.payload is None:
        raise BadRaces([FieldProblem(FIELD, "must be a field of the entry, once")])
    if len(entry.payload) > BODY_BYTES:
        raise BadRaces([FieldProblem("body", f"must be at most {BODY_BYTES} bytes long")])
    if _NOT_UTF8 in entry.payload:
        # Two ids that are broken in different places would look the same.
        raise BadRaces([FieldProblem("body", f"must be UTF-8, and without {_NOT_UTF8!a}")])
    return read_races(entry.payload)


def _storable(text: str) -> str:
    """Return the beginning of a text; half a surrogate pair can be written to no file."""
    return text[:_TEXT_KEPT].encode(errors="replace").decode()
