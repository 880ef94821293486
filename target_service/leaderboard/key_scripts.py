"""The two reads of one board that need more than one command to be exact.

Arguments pass through untouched and scores stay the server's own text: Lua would turn the
number 1e15 into '1e+15' and lose digits of longer ones.
"""

from collections.abc import Mapping

from target_service.redis_wire.command import Reply
from target_service.redis_wire.scripts import Script

AROUND = Script("""\
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then return false end
local window = tonumber(ARGV[2])
local first = math.max(0, rank - window)
local rows = redis.call('ZREVRANGE', KEYS[1], first, first + 2 * window, 'WITHSCORES')
if first == 0 or #rows == 2 * (2 * window + 1) then return {rank, 1, rows} end
-- The page would run past the last member: shift it up instead of shortening it.
rows = redis.call('ZREVRANGE', KEYS[1], -(2 * window + 1), -1, 'WITHSCORES')
return {rank, 2, rows}
""")
AROUND_MOST = {"zrevrank": 1, "zrevrange": 2}

STANDING = Script("""\
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return false end
local above = redis.call('ZCOUNT', KEYS[1], '(' .. score, '+inf')
return {score, above, redis.call('ZREVRANK', KEYS[1], ARGV[1])}
""")
STANDING_MOST = {"zscore": 1, "zcount": 1, "zrevrank": 1}


def around_ran(reply: Reply) -> Mapping[str, int]:
    """Return the commands that the around script ran to give this reply."""
    return {"zrevrank": 1} if reply is None else {"zrevrank": 1, "zrevrange": reply[1]}


def standing_ran(reply: Reply) -> Mapping[str, int]:
    """Return the commands that the standing script ran to give this reply."""
    return STANDING_MOST if reply is not None else {"zscore": 1}
