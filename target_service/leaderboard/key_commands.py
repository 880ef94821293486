"""The Redis commands and scripts of one board key, and the counters of their outcomes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from redis.exceptions import NoScriptError, ResponseError

from target_service.leaderboard.boards import Boards, Freshness
from target_service.metrics import Metrics
from target_service.redis.commands import Command, Reply, pack
from target_service.redis.pipeline import Pipeline, Script

Inner = Callable[[Reply], Mapping[str, int]]


def _uncounted(_: float = 1) -> None:
    """Count nothing."""


class KeyCommandMetrics:
    """Counts one plain command on one key.

    A key outside the closed list of boards has no label (None): its commands are counted, its
    hits are no part of the ranking's skew.
    """

    def __init__(self, metrics: Metrics, command: str, key: str | None, op: str) -> None:
        listed = key is not None
        self._hit = metrics.keys.ops.labels(key, op).inc if listed else _uncounted
        self._time = metrics.keys.op_duration.labels(key, op).observe if listed else _uncounted
        self._command = metrics.commands.answered.labels(command).inc
        self._unknown = metrics.commands.unknown.labels(command).inc

    def answered(self, reply: Reply, seconds: float) -> None:  # noqa: ARG002  (the protocol's)
        """Count the hit, its time and the command."""
        self._hit()
        self._time(seconds)
        self._command()

    def refused(self, error: ResponseError) -> None:  # noqa: ARG002  (the protocol's)
        """Count the command as unknown: an error may come before or after the server ran it."""
        self._unknown()

    def unanswered(self) -> None:
        """Count the command as unknown."""
        self._unknown()


class WriteCommandMetrics(KeyCommandMetrics):
    """Counts one write, and the members it writes."""

    def __init__(self, metrics: Metrics, command: str, key: str | None, members: int) -> None:
        super().__init__(metrics, command, key, "write")
        written = metrics.keys.members_written
        self._members_written = _uncounted if key is None else written.labels(key).inc
        self._members = members

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count the hit, its time, the command and the members."""
        super().answered(reply, seconds)
        self._members_written(self._members)


class ScriptCommandMetrics(KeyCommandMetrics):
    """Counts one script as one hit on its key, and as itself and the commands it ran."""

    def __init__(
        self, metrics: Metrics, key: str | None, op: str, inner: Inner, most: Mapping[str, int]
    ) -> None:
        """Take what the script ran, told from its reply, and the most it may run."""
        super().__init__(metrics, "evalsha", key, op)
        self._inner = inner
        self._commands = {name: metrics.commands.answered.labels(name).inc for name in most}
        self._unknowns = {name: metrics.commands.unknown.labels(name).inc for name in most}
        self._most = most

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count the hit, its time, the call and the commands inside it."""
        super().answered(reply, seconds)
        for name, times in self._inner(reply).items():
            self._commands[name](times)

    def refused(self, error: ResponseError) -> None:
        """Count a call of a script the server did not know: it ran, and nothing inside it did."""
        if isinstance(error, NoScriptError):
            self._command()
        else:
            self.unanswered()

    def unanswered(self) -> None:
        """Count the call and all that it may have run as unknown."""
        super().unanswered()
        for name, times in self._most.items():
            self._unknowns[name](times)


# Answers: place of the player, place of the page's first entry, range reads made, the page.
AROUND = Script("""\
local place = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not place then return false end
local window = tonumber(ARGV[2])
local size = 2 * window + 1
local first = math.max(0, place - window)
local page = redis.call('ZREVRANGE', KEYS[1], first, first + size - 1, 'WITHSCORES')
local members = first + #page / 2
if first == 0 or #page == 2 * size then return {place, first, 1, page} end
-- The page ran past the last member, which told their number: shift it up.
first = math.max(0, members - size)
return {place, first, 2, redis.call('ZREVRANGE', KEYS[1], first, -1, 'WITHSCORES')}
""")
AROUND_MOST = {"zrevrank": 1, "zrevrange": 2}

# Answers: score, players with a greater one, place; all on this key.
STANDING = Script("""\
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return false end
local above = redis.call('ZCOUNT', KEYS[1], '(' .. score, '+inf')
return {score, above, redis.call('ZREVRANK', KEYS[1], ARGV[1])}
""")
STANDING_MOST = {"zscore": 1, "zcount": 1, "zrevrank": 1}


def around_ran(reply: Reply) -> Mapping[str, int]:
    """Return the commands that the around script ran to give this reply."""
    return {"zrevrank": 1} if reply is None else {"zrevrank": 1, "zrevrange": reply[2]}


def standing_ran(reply: Reply) -> Mapping[str, int]:
    """Return the commands that the standing script ran to give this reply."""
    return {"zscore": 1} if reply is None else STANDING_MOST


# Reading and decoding this many entries takes about as long as writing one.
ENTRIES_PER_WEIGHT = 10


class KeyCommands:
    """Packs the commands that touch one key; `listed` when it is one of the configured boards."""

    def __init__(self, key: str, metrics: Metrics, *, listed: bool = True) -> None:
        self.key = key
        self._metrics = metrics
        self._label = label = key if listed else None
        self._write_one = WriteCommandMetrics(metrics, "zadd", label, 1)
        self._top = KeyCommandMetrics(metrics, "zrevrange", label, "read")
        self._count = KeyCommandMetrics(metrics, "zcount", label, "read")
        self._around = ScriptCommandMetrics(metrics, label, "read", around_ran, AROUND_MOST)
        self._standing = ScriptCommandMetrics(metrics, label, "read", standing_ran, STANDING_MOST)

    def write(self, player: str, score: int) -> Command:
        """Set one player's score."""
        return Command(pack("ZADD", self.key, score, player), self._write_one)

    def write_many(self, players: Sequence[str], scores: Sequence[int]) -> Command:
        """Set many players' scores; a player named twice keeps the later score."""
        members = len(players)
        arguments: list[str | int] = [0] * (2 * members)
        arguments[::2] = scores
        arguments[1::2] = players
        command_metrics = WriteCommandMetrics(self._metrics, "zadd", self._label, members)
        return Command(pack("ZADD", self.key, *arguments), command_metrics, members)

    def top(self, k: int) -> Command:
        """Read the first k entries: score descending, then player id descending."""
        packed = pack("ZREVRANGE", self.key, "0", k - 1, "WITHSCORES")
        return Command(packed, self._top, 1 + k // ENTRIES_PER_WEIGHT)

    def count_above(self, score: str) -> Command:
        """Count the players with a strictly greater score, given as the server's own text."""
        return Command(pack("ZCOUNT", self.key, "(" + score, "+inf"), self._count)

    def around(self, player: str, window: int) -> Command:
        """Read the player's place and the entries around it."""
        packed = AROUND.call(self.key, player, str(window))
        return Command(packed, self._around, 1 + 2 * window // ENTRIES_PER_WEIGHT)

    def standing(self, player: str) -> Command:
        """Read the player's score, the players above it, and the place on this key, at once."""
        return Command(STANDING.call(self.key, player), self._standing)


@dataclass(frozen=True, slots=True)
class Store:
    """The configured boards on one Redis server.

    `board_marks` has, where boards carry marks, the command that reads each board's: its epoch, the
    members written in it, and the epoch that is complete.
    """

    boards: Boards
    commands: Mapping[str, KeyCommands]
    pipeline: Pipeline
    freshness: Freshness
    board_marks: Mapping[str, Command] = field(default_factory=dict)

    def marks(self, *keys: str) -> list[Command]:
        """Return the commands that read the marks of these boards; none where there are none."""
        return [self.board_marks[key] for key in keys] if self.board_marks else []

    def deadline(self) -> float:
        """Return the loop time by which a request that starts now has its answers from Redis."""
        return self.pipeline.deadline()
