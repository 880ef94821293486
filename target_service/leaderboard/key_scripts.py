"""The two reads of one board that need more than one command to be exact.

Arguments pass through untouched and scores stay the server's own text: Lua would turn the
number 1e15 into '1e+15' and lose digits of longer ones.
"""

from collections.abc import Mapping

from target_service.redis_wire.command import Reply
from target_service.redis_wire.scripts import Script

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
