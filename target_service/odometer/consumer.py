"""The job of each worker that takes deliveries from the stream."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from time import monotonic

from redis.exceptions import ResponseError

from target_service.http.fields import BODY_BYTES, BadFields
from target_service.http.problems import FieldProblem
from target_service.ledger.errors import LedgerClosed, LedgerError
from target_service.odometer.configuration import RACES_AT_ONCE
from target_service.odometer.deliveries import Early, Refused, SetAside
from target_service.odometer.intake import Intake
from target_service.odometer.race import Completed, read_race, read_races, texts_of
from target_service.odometer.stream import FIELD, STREAM, Entry, NoStream, Stream
from target_service.redis.commands import RedisUnavailable

logger = logging.getLogger(__name__)

IDLE_SECONDS = 0.05
_NO_STREAM_SECONDS = 1.0
_RETRY_SECONDS = 0.5
# A consumer that is only slow loses entries to others, who make duplicates of them: no harm.
CLAIM_IDLE_MS = 2_000
_DEAD_IDLE_MS = 60_000
_CLAIM_EVERY_SECONDS = 1.0
_WAITING_EVERY_SECONDS = 1.0
# What the connection makes of bytes that are no UTF-8.
_NOT_UTF8 = "\ufffd"


class Consumer:
    """Applies what the stream brings, then acknowledges it, so that nothing is lost on the way.

    What dies in between comes again and is a duplicate. Each race of an entry is judged by itself:
    what is no race is kept in `odometer_rejected`, for it would be none the next time either, and
    what comes before its event is made waits for it in `odometer_waiting`.
    """

    def __init__(self, stream: Stream, intake: Intake, claim_idle_ms: int = CLAIM_IDLE_MS) -> None:
        self._stream = stream
        self._intake = intake
        self._claim_idle_ms = claim_idle_ms
        self._claim_at = 0.0
        self._waiting_at = 0.0
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
        if monotonic() >= self._waiting_at and not await self._intake.take_waiting():
            self._waiting_at = monotonic() + _WAITING_EVERY_SECONDS
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
            found = await self._judge(entry)
            if len(races) + len(found) > RACES_AT_ONCE:
                await self._apply(fitting, races)
                fitting, races = [], []
            fitting.append(entry)
            races += found
        await self._apply(fitting, races)

    async def _judge(self, entry: Entry) -> Sequence[Completed]:
        """Return the races that can be applied, once all others are set aside."""
        try:
            return await self._intake.fitting(read_races(_payload(entry)))
        except BadFields as error:
            texts = _texts(entry)
            if not texts:
                await self._set_aside([Refused(str(error), entry.text)])
                return ()
        races: list[Completed] = []
        refused: list[Refused] = []
        early: list[Early] = []
        for text in texts:
            try:
                race = read_race(_utf8(text))
                if await self._intake.event(race.event_id) is None:
                    early.append(Early(race.event_id, text))
                else:
                    races += await self._intake.fitting([race])
            except BadFields as error:
                refused.append(Refused(str(error), text))
        await self._set_aside(refused, early)
        return races

    async def _set_aside(self, refused: Sequence[Refused], early: Sequence[Early] = ()) -> None:
        kept = [Refused(_storable(reason), _storable(text)) for reason, text in refused]
        if kept or early:
            await self._intake.set_aside(SetAside(kept, early))

    async def _apply(self, entries: Sequence[Entry], races: Sequence[Completed]) -> None:
        """Apply; a race that the ledger cannot even store is told apart from the others."""
        try:
            await self._insist(races)
        except LedgerClosed:
            raise
        except Exception:
            logger.exception("Races of the stream cannot be applied together")
            for text in chain.from_iterable(map(_texts, entries)):
                await self._apply_alone(text)
        if entries:
            await self._stream.done([entry.id for entry in entries])

    async def _apply_alone(self, text: str) -> None:
        """Apply one race, or keep why it cannot be; what was set aside before is passed over."""
        try:
            race = read_race(_utf8(text))
            await self._intake.fitting([race])
        except BadFields:
            return
        try:
            await self._insist([race])
        except LedgerClosed:
            raise
        except Exception as error:
            logger.exception("A race of the stream cannot be applied")
            await self._set_aside([Refused(f"cannot be applied: {error!r}", text)])

    async def _insist(self, races: Sequence[Completed]) -> None:
        """Apply until the ledger takes them; who claims them meanwhile makes duplicates of them."""
        while races:
            try:
                await self._intake.take(races, "stream")
                break
            except LedgerClosed:
                raise
            except LedgerError:
                await asyncio.sleep(_RETRY_SECONDS)


def _payload(entry: Entry) -> str:
    """Return the entry's races as text, unless it is no text of races as a whole."""
    if entry.payload is None:
        raise BadFields([FieldProblem(FIELD, "must be a field of the entry, once")])
    if len(entry.payload) > BODY_BYTES:
        raise BadFields([FieldProblem("body", f"must be at most {BODY_BYTES} bytes long")])
    return _utf8(entry.payload)


def _utf8(text: str) -> str:
    if _NOT_UTF8 in text:
        # Two ids that are broken in different places would look the same.
        raise BadFields([FieldProblem("body", f"must be UTF-8, and without {_NOT_UTF8!a}")])
    return text


def _texts(entry: Entry) -> Sequence[str]:
    """Return the text of each race; none where the entry is refused as a whole."""
    if entry.payload is None or len(entry.payload) > BODY_BYTES:
        return ()
    return texts_of(entry.payload)


def _storable(text: str) -> str:
    """Return the text without halves of surrogate pairs, which can be written to no file."""
    return text.encode(errors="replace").decode()
