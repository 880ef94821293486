"""All drills by name; a new one adds its line here and a scenario file of its name."""

from types import MappingProxyType
from typing import Final

from lab.drills.drill import Drill
from lab.drills.redis_kill import RedisKill
from lab.errors import UsageError

_ALL = (
    Drill(
        "redis-kill",
        "Redis is killed (kill -9) and starts again, empty.",
        RedisKill(),
    ),
)
DRILLS: Final = MappingProxyType({drill.name: drill for drill in _ALL})


def find_drill(name: str | None) -> Drill:
    """The drill of that name.

    Raises:
        UsageError: there is none, with the names that there are.
    """
    known = ", ".join(DRILLS)
    if name is None:
        raise UsageError(f"DRILL names the drill: choose from {known}.")
    if name not in DRILLS:
        raise UsageError(f"DRILL={name} is no drill: choose from {known}.")
    return DRILLS[name]
