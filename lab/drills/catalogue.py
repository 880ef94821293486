"""All drills by name; a new one adds its line here and a scenario file of its name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lab.audit import REDIS_RESTARTED, SERVICE_CHANGED
from lab.drills.disk_full import DiskFull
from lab.drills.drill import Drill
from lab.drills.rank_storm import RankStorm, missing_storm, with_storm
from lab.drills.redis_freeze import RedisFreeze
from lab.drills.redis_kill import RedisKill
from lab.drills.redis_restore import RedisRestore
from lab.drills.service_kill import ServiceKill
from lab.drills.stale_top import SHORTEST_SECONDS, StaleTop, with_materialised_top
from lab.drills.whole_run import WholeRun

_AGAIN: Final = WholeRun("resent_share", "sent again")
_OVERTAKEN: Final = WholeRun("overtaken_share", "overtaken by newer ones")

_ALL: Final = (
    Drill(
        "redis-kill",
        "Redis is killed (kill -9) and starts again, empty.",
        lambda _: RedisKill(),
        ends_counters=REDIS_RESTARTED,
    ),
    Drill(
        "redis-freeze",
        "Redis stands still for 3 s (SIGSTOP): it takes connections and answers nothing.",
        lambda _: RedisFreeze(),
        shortest_seconds=8,
    ),
    Drill(
        "redis-restore",
        "Redis is killed and starts again from an older dump, which it takes for the present.",
        lambda _: RedisRestore(),
        ends_counters=REDIS_RESTARTED,
    ),
    Drill(
        "service-kill",
        "The service is killed (kill -9) and starts again on the same ledger.",
        lambda _: ServiceKill(),
        ends_counters=SERVICE_CHANGED,
    ),
    Drill(
        "duplicates",
        "A share of the submits send an earlier event again, half of them together with it.",
        lambda _: _AGAIN,
        missing=_AGAIN.missing,
    ),
    Drill(
        "out-of-order",
        "A share of the submits come after a newer event of their player, or together with it.",
        lambda _: _OVERTAKEN,
        missing=_OVERTAKEN.missing,
    ),
    Drill(
        "disk-full",
        "No file of the service may grow: the ledger takes nothing, and reads go on.",
        lambda variables: DiskFull(is_lifted=variables.lifted),
    ),
    Drill(
        "stale-top",
        "The aggregator of the materialised top K is held for 10 s: answers go on and grow old.",
        lambda _: StaleTop(),
        shortest_seconds=SHORTEST_SECONDS,
        adapted=with_materialised_top,
    ),
    Drill(
        "rank-storm",
        "Exact ranks are asked for in waves, at ten times their limit unless SET says otherwise.",
        lambda _: RankStorm(),
        shortest_seconds=12,
        adapted=with_storm,
        missing=missing_storm,
    ),
)
DRILLS: Final[Mapping[str, Drill]] = MappingProxyType({drill.name: drill for drill in _ALL})


def no_drill(name: str | None) -> str:
    """A sentence about a name that is no drill's, or that is missing."""
    wrong = "DRILL names the drill" if name is None else f"DRILL={name} is no drill"
    return f"{wrong}: choose from {', '.join(DRILLS)}."
