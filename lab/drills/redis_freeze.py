"""redis-freeze: Redis is there, takes connections and answers nothing."""

import signal
from dataclasses import dataclass

from lab.drills.fault import PlainFault, Scene


@dataclass(frozen=True)
class RedisFreeze(PlainFault):
    """Stops the server's process with SIGSTOP, and lets it go on."""

    at_share: float = 0.3
    frozen_seconds: float = 3.0

    def strike(self, scene: Scene) -> None:
        """Freeze it, and thaw it also when the run ends meanwhile."""
        redis = scene.redis
        scene.clock.wait_for_share(self.at_share)
        with scene.fault(f"Redis frozen for {self.frozen_seconds:g} s (SIGSTOP)"):
            redis.send(signal.SIGSTOP)
            try:
                scene.clock.pause(self.frozen_seconds)
            finally:
                redis.send(signal.SIGCONT)
