"""redis-kill: all that Redis holds is gone at once."""

from dataclasses import dataclass

from lab.drills.fault import PlainFault, Scene


@dataclass(frozen=True)
class RedisKill(PlainFault):
    """Kills the server, and starts it again empty."""

    at_share: float = 0.3
    down_seconds: float = 1.0

    def strike(self, scene: Scene) -> None:
        """Kill it, let the service live without it for a while, and start an empty one."""
        redis = scene.redis
        scene.clock.wait_for_share(self.at_share)
        with scene.fault("Redis killed, then started again empty"):
            redis.knock_out()
            try:
                scene.clock.pause(self.down_seconds)
            finally:
                redis.begin()
