"""redis-restore: Redis comes back with a past that it takes for the present."""

import time
from dataclasses import dataclass

import redis

from lab.drills.fault import PlainFault, Scene
from lab.drills.run_clock import RunClock
from lab.errors import PartFailed
from lab.stack.redis import connect

_POLL_SECONDS = 0.05
_DUMP_SECONDS = 20.0


@dataclass(frozen=True)
class RedisRestore(PlainFault):
    """Keeps a dump, kills the server later, and starts it again from that dump."""

    dump_at_share: float = 0.15
    kill_at_share: float = 0.4

    def strike(self, scene: Scene) -> None:
        """The versions in the dump are older than those that the ledger knows were projected."""
        server = scene.redis
        scene.clock.wait_for_share(self.dump_at_share)
        _dump(scene.stack.redis_url, scene.clock)
        scene.clock.wait_for_share(self.kill_at_share)
        with scene.fault("Redis killed, then started again from an older dump"):
            server.knock_out()
            server.begin()


def _dump(url: str, clock: RunClock) -> None:
    """Save in the background, and wait until the dump is whole; raises PartFailed."""
    deadline = time.monotonic() + _DUMP_SECONDS
    try:
        with connect(url) as client:
            client.bgsave()
            while (state := client.info("persistence"))["rdb_bgsave_in_progress"]:
                if time.monotonic() > deadline:
                    raise PartFailed(f"Redis made no dump within {_DUMP_SECONDS:g} s.")
                clock.pause(_POLL_SECONDS)
    except redis.RedisError as error:
        raise PartFailed(f"Redis made no dump: {error}.") from error
    if state["rdb_last_bgsave_status"] != "ok":
        raise PartFailed("Redis made no dump, as its log says.")
