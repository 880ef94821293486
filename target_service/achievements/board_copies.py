"""The boards of points in Redis: copies of the ledger's, brought up to it whenever one is read."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote
from weakref import WeakValueDictionary

from redis.exceptions import ResponseError

from target_service.achievements.boards import BoardPage
from target_service.achievements.records import Records
from target_service.http.problems import BoardUnavailable
from target_service.leaderboard.entries import rows
from target_service.leaderboard.key_commands import KeyCommands, ScriptCommandMetrics
from target_service.metrics import Metrics
from target_service.projection.guarded_writes import MARK, companion
from target_service.redis.commands import Command, Reply, Uncounted, pack
from target_service.redis.pipeline import Pipeline, Script

# Keys: board, mark. Arguments: epoch, the change the copy must be at, the change it then is at,
# then score and member in turn. Answers the ZADDs made, or nothing when the copy is elsewhere:
# whatever is written follows without a gap on what was written before. From change 0 on it is
# begun anew. A call hands over no more values than Lua takes at once.
_COPY = Script("""\
if ARGV[2] == '0' then redis.call('UNLINK', KEYS[1], KEYS[2])
else
  local at = redis.call('HMGET', KEYS[2], 'epoch', 'change')
  if at[1] ~= ARGV[1] or at[2] ~= ARGV[2] then return false end
end
local zadds = 0
for first = 4, #ARGV, 4000 do
  redis.call('ZADD', KEYS[1], unpack(ARGV, first, math.min(first + 3999, #ARGV)))
  zadds = zadds + 1
end
local members = redis.call('ZCARD', KEYS[1])
redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'change', ARGV[3], 'members', members)
return zadds
""")
_MOST = {"zadd": 1}
_NO_MARK = (None, None, None)
_NOWHERE = ("", 0)
_TRIES = 3
_COMMANDS_KEPT = 1_024


class BoardCopies:
    """Reads boards of points; a copy that is behind, foreign or lost is brought up first.

    So a board is right whoever looked first, and after any loss of Redis, without a job that keeps
    boards nobody reads. The ledger says before each read how far the copy has to be.
    """

    def __init__(self, pipeline: Pipeline, records: Records, metrics: Metrics) -> None:
        self._pipeline = pipeline
        self._records = records
        self._commands = lru_cache(_COMMANDS_KEPT)(
            lambda key: KeyCommands(key, metrics, listed=False)
        )
        self._command_metrics = ScriptCommandMetrics(metrics, None, "write", _ran, _MOST)
        self._copying: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def top(self, name: str, k: int) -> tuple[list[tuple[str, int]], str] | None:
        """The first k members and their points, and as of when; None for an unknown board.

        Raises:
            BoardUnavailable: the copy was lost again and again while it was brought up.

        """
        state = await self._records.board(name)
        if state is None:
            return None
        key = board_key(name)
        read = (*_read_place(key), self._commands(key).top(k))
        for _ in range(_TRIES):
            (mark, members, entries), as_of = await self._read(read)
            epoch, change = _place(mark, members)
            # As new as when it was asked for is new enough: it may change faster than it is read.
            if epoch == state.epoch and change >= state.version:
                return list(rows(entries)), as_of
            lock = self._copying.setdefault(name, asyncio.Lock())
            async with lock:
                await self._bring_up(name, key)
            latest = await self._records.board(name)
            if latest is not None and latest.epoch != state.epoch:
                state = latest
        raise BoardUnavailable(key)

    async def _bring_up(self, name: str, key: str) -> None:
        """Copy what is missing, a page at a time, until nothing is or somebody else goes on."""
        (mark, members), _ = await self._read(_read_place(key))
        epoch, change = _place(mark, members)
        while True:
            page = await self._records.board_page(name, epoch, change)
            if page is None or (page.epoch, page.up_to) == (epoch, change):
                return
            if not await self._write(key, page):
                return
            epoch, change = page.epoch, page.up_to

    async def _read(self, commands: Sequence[Command]) -> tuple[Sequence[Reply], str]:
        """Read a copy; where something of another kind has its name there is none."""
        try:
            return await self._pipeline.run(commands)
        except ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                raise
            return [_NO_MARK, *([0] * (len(commands) - 1))], ""

    async def _write(self, key: str, page: BoardPage) -> bool:
        arguments = [page.epoch, str(page.since), str(page.up_to)]
        for points, member in page.rows:
            arguments += (str(points), member)
        packed = _COPY.call_on((key, companion(key, MARK)), *arguments)
        command = Command(packed, self._command_metrics, 1 + len(page.rows))
        deadline = self._pipeline.deadline()
        (reply,), _ = await _COPY.run(self._pipeline, (command,), deadline)
        return reply is not None


def board_key(name: str) -> str:
    """The Redis key of an organisation's board; its name may hold what keys give a meaning to."""
    return f"achievements:points:{quote(name, safe='')}"


def _read_place(key: str) -> tuple[Command, Command]:
    # The mark before the members: within an epoch both only grow, so more members are no loss.
    mark = pack("HMGET", companion(key, MARK), "epoch", "change", "members")
    return Command(mark, Uncounted()), Command(pack("ZCARD", key), Uncounted())


def _place(mark: Reply, members: int) -> tuple[str, int]:
    """The epoch and the change a copy is at; one that lost members or its mark is nowhere."""
    epoch, change, expected = mark
    try:
        return (epoch, int(change)) if members >= int(expected) else _NOWHERE
    except (TypeError, ValueError):
        return _NOWHERE


def _ran(reply: Reply) -> dict[str, int]:
    return {} if reply is None else {"zadd": reply}
