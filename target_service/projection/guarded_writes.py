"""Writing a board under the versions of its players, and the keys that belong to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from target_service.leaderboard.key_commands import ScriptCommandMetrics
from target_service.metrics import Metrics
from target_service.redis.commands import Command, Reply
from target_service.redis.pipeline import Script

# Lua passes at most some 8,000 values in one call.
_SLICE = 1_000
VERSIONS = "versions"
MARK = "mark"

# Keys: board, versions, mark. Arguments: player, score and version in turn.
# Answers: epoch, members written since the board was begun, members written now, ZADDs made; or
# nothing when the board has no mark, or has lost what was written: the rebuild decides when it may
# be written to. So a board that is there and has a mark is complete.
# Numbers are compared as numbers and stored as the text they came as.
GUARDED_WRITE = Script(f"""\
local mark = redis.call('HMGET', KEYS[3], 'epoch', 'newest', 'writes')
local epoch, newest = mark[1], mark[2] or '0'
if not epoch then return false end
if tonumber(mark[3] or 0) > 0 and redis.call('EXISTS', KEYS[1], KEYS[2]) < 2 then return false end
local before, applied, zadds = newest, 0, 0
for first = 1, #ARGV, {3 * _SLICE} do
  local players = {{}}
  for at = first, math.min(first + {3 * _SLICE - 1}, #ARGV), 3 do
    players[#players + 1] = ARGV[at]
  end
  local held = redis.call('HMGET', KEYS[2], unpack(players))
  local scores, versions = {{}}, {{}}
  for index, player in ipairs(players) do
    local at = first + 3 * (index - 1)
    local version = tonumber(ARGV[at + 2])
    if not held[index] or tonumber(held[index]) < version then
      scores[#scores + 1], scores[#scores + 2] = ARGV[at + 1], player
      versions[#versions + 1], versions[#versions + 2] = player, ARGV[at + 2]
      applied = applied + 1
      if tonumber(newest) < version then newest = ARGV[at + 2] end
    end
  end
  if #scores > 0 then
    redis.call('ZADD', KEYS[1], unpack(scores))
    redis.call('HSET', KEYS[2], unpack(versions))
    zadds = zadds + 1
  end
end
if newest ~= before then redis.call('HSET', KEYS[3], 'newest', newest) end
return {{epoch, redis.call('HINCRBY', KEYS[3], 'writes', applied), applied, zadds}}
""")


def companion(key: str, what: str) -> str:
    """Return the key of something that belongs to a board, in the same slot of a cluster."""
    return f"{key}:{what}" if "{" in key else f"{{{key}}}:{what}"


@dataclass(frozen=True, slots=True)
class Written:
    """The answer of a board to a guarded write."""

    epoch: str
    writes: int

    @classmethod
    def from_reply(cls, reply: Reply) -> "Written | None":
        """Return the script's answer, or None when the board has no mark."""
        return None if reply is None else cls(reply[0], reply[1])


class GuardedWriteMetrics(ScriptCommandMetrics):
    """Counts a guarded write as one hit, and the members it really wrote."""

    def __init__(self, metrics: Metrics, key: str, members: int) -> None:
        most = {"zadd": -(-members // _SLICE)}
        super().__init__(metrics, key, "write", _commands_run, most)
        self._members_written = metrics.keys.members_written.labels(key).inc

    def answered(self, reply: Reply, seconds: float) -> None:
        """Count the hit, its time, the commands and the members; without a mark nothing is hit."""
        if reply is None:
            self._command()
            return
        super().answered(reply, seconds)
        self._members_written(reply[2])


class GuardedKey:
    """Makes the guarded write commands of one board key."""

    def __init__(self, key: str, metrics: Metrics) -> None:
        self.key = key
        self._metrics = metrics
        self._keys = (key, companion(key, VERSIONS), companion(key, MARK))
        self._one = GuardedWriteMetrics(metrics, key, 1)

    def write_score(self, player: str, score: int, version: int) -> Command:
        """Set one player's score if the version is newer than what the board has."""
        return Command(
            GUARDED_WRITE.call_on(self._keys, player, str(score), str(version)), self._one
        )

    def write_scores(
        self, players: Sequence[str], scores: Sequence[int], versions: Sequence[int]
    ) -> Command:
        """Set many players' scores; each player may be named once only."""
        members = len(players)
        arguments = [""] * (3 * members)
        arguments[::3] = players
        arguments[1::3] = map(str, scores)
        arguments[2::3] = map(str, versions)
        command_metrics = GuardedWriteMetrics(self._metrics, self.key, members)
        return Command(GUARDED_WRITE.call_on(self._keys, *arguments), command_metrics, members)


def _commands_run(reply: Reply) -> Mapping[str, int]:
    return {"zadd": reply[3]}
