"""Putting unlocks on the stream: in order, each once, by whoever holds the lease."""

import asyncio
import logging
from collections.abc import Sequence

from redis.exceptions import ResponseError

from target_service.achievements.outbox import Frame
from target_service.achievements.records import Records
from target_service.leaderboard.key_commands import ScriptCommandMetrics
from target_service.ledger.errors import LedgerError
from target_service.metrics import Metrics
from target_service.projection.guarded_writes import companion
from target_service.redis.commands import Command, RedisUnavailable
from target_service.redis.pipeline import Pipeline, Script
from target_service.timestamps import rfc3339

logger = logging.getLogger(__name__)

STREAM = "achievements:unlocks"
# Readers that fall further behind than this have the record of unlocks in the ledger.
STREAM_FRAMES_KEPT = 250_000
_FRAMES_AT_ONCE = 500
_INTERVAL_SECONDS = 0.25
_BACKOFF_AT_MOST_SECONDS = 2.0

# Keys: stream, what is known of it. Arguments: the ledger's identity, frames kept, then per frame
# its number and five fields. The number is the entry's id. What is known is whose the stream is and
# its last id; frames up to that are repeats. A stream that is not as it was left, because it is of
# another ledger, of another kind, or somebody else has added to it, is begun anew: it would refuse
# frames it never had.
_PUBLISH = Script("""\
local last = '0-0'
if redis.call('TYPE', KEYS[1]).ok == 'stream' then
  local told = redis.call('XINFO', 'STREAM', KEYS[1])
  for at = 1, #told, 2 do
    if told[at] == 'last-generated-id' then last = told[at + 1] end
  end
end
local known = {}
if redis.call('TYPE', KEYS[2]).ok == 'hash' then
  known = redis.call('HMGET', KEYS[2], 'ledger', 'last')
end
if known[1] ~= ARGV[1] or known[2] ~= last then
  redis.call('UNLINK', KEYS[1], KEYS[2])
  last = '0-0'
end
local number = tonumber(string.match(last, '%d+'))
for at = 3, #ARGV, 6 do
  if tonumber(ARGV[at]) > number then
    last = ARGV[at] .. '-0'
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], last,
      'member', ARGV[at + 1], 'achievement', ARGV[at + 2], 'level', ARGV[at + 3],
      'points', ARGV[at + 4], 'unlocked_at', ARGV[at + 5])
  end
end
redis.call('HSET', KEYS[2], 'ledger', ARGV[1], 'last', last)
return 1
""")
_KEYS = (STREAM, companion(STREAM, "ledger"))


class Publisher:
    """Looks for unpublished unlocks and puts them on the stream.

    The mark in the ledger moves after the stream has the frames: a publisher that dies in between
    is followed by one that sends them again, and the script passes them over.
    """

    def __init__(self, pipeline: Pipeline, records: Records, metrics: Metrics, owner: str) -> None:
        self._pipeline = pipeline
        self._records = records
        self._owner = owner
        self._trouble = ""
        self._command_metrics = ScriptCommandMetrics(metrics, None, "write", lambda _: {}, {})

    async def keep(self) -> None:
        """Publish for ever; a failure is tried again."""
        pause_seconds = _INTERVAL_SECONDS
        while True:
            await asyncio.sleep(pause_seconds)
            try:
                while await self.publish():
                    pass
                pause_seconds, self._trouble = _INTERVAL_SECONDS, ""
            except (LedgerError, RedisUnavailable):
                pause_seconds = min(_BACKOFF_AT_MOST_SECONDS, 2 * pause_seconds)
            except ResponseError as error:
                self._tell(str(error))
                pause_seconds = min(_BACKOFF_AT_MOST_SECONDS, 2 * pause_seconds)
            except Exception:
                logger.exception("The publisher of unlocks failed; it goes on")

    def _tell(self, trouble: str) -> None:
        """Say once what Redis refuses: nobody who waits for frames would be told otherwise."""
        if trouble != self._trouble:
            self._trouble = trouble
            logger.warning("Unlocks wait in the ledger: Redis refuses %s: %s", STREAM, trouble)

    async def publish(self) -> int:
        """Publish the first unlocks that wait; return how many, 0 also when another does it."""
        _, seen = await self._records.waiting(_FRAMES_AT_ONCE)
        if not seen:
            return 0
        # A sweep does not sync its commits. Taking the lease is synced, and with it all before:
        # what goes on the stream survives the machine, so its number is never given again.
        lease = await self._records.take_outbox(self._owner)
        if lease is None:
            return 0
        # Whoever had the lease before may have published since.
        ledger_id, waiting = await self._records.waiting(_FRAMES_AT_ONCE)
        frames = [frame for frame in waiting if frame[0] <= seen[-1][0]]
        if frames:
            await self._send(ledger_id, frames)
            await self._records.published(lease, frames[-1][0])
        return len(frames)

    async def _send(self, ledger_id: str, frames: Sequence[Frame]) -> None:
        arguments = [ledger_id, str(STREAM_FRAMES_KEPT)]
        for number, member, achievement, level, points, at_ms in frames:
            arguments += (str(number), member, achievement, str(level), str(points), rfc3339(at_ms))
        command = Command(_PUBLISH.call_on(_KEYS, *arguments), self._command_metrics, len(frames))
        deadline = self._pipeline.deadline()
        await _PUBLISH.run(self._pipeline, (command,), deadline)
