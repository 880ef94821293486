"""redis-freeze: Redis is there, takes connections and answers nothing."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass

from lab.audit.invariants import Invariant
from lab.drills.fault import Findings, Scene
from lab.drills.request_rows import Request

# Answers that Redis gave just before it stood still are on their way for a moment.
_ON_THE_WAY_SECONDS = 0.1


@dataclass
class RedisFreeze:
    """Stops the server's process with SIGSTOP, and lets it go on."""

    at_share: float = 0.3
    frozen_seconds: float = 3.0
    frozen: tuple[float, float] | None = None

    def strike(self, scene: Scene) -> None:
        """Freeze it, and thaw it also when the run ends meanwhile."""
        redis, clock = scene.redis, scene.clock
        clock.wait_for_share(self.at_share)
        with scene.fault(f"Redis frozen for {self.frozen_seconds:g} s (SIGSTOP)"):
            redis.send(signal.SIGSTOP)
            begun = clock.now_seconds()
            try:
                clock.pause(self.frozen_seconds)
            finally:
                self.frozen = (begun, clock.now_seconds())
                redis.send(signal.SIGCONT)

    def findings(self, requests: Sequence[Request]) -> Findings:
        """What the writes were told that were sent and answered while Redis stood still."""
        if self.frozen is None:
            return Findings()
        begun, ended = self.frozen
        writes = [
            one
            for one in requests
            if one.operation == "submit"
            and one.begun is not None
            and one.ended is not None
            and begun + _ON_THE_WAY_SECONDS < one.begun
            and one.ended < ended
        ]
        durable = sum(one.outcome == "durable-only" for one in writes)
        waits = [1_000 * (one.ended - one.begun) for one in writes if one.ended and one.begun]
        longest = f", after at most {max(waits):,.0f} ms" if waits else ""
        return Findings(
            [f"writes answered while Redis was frozen: {len(writes):,}, all 202{longest}"]
            if durable == len(writes)
            else [
                f"writes answered while Redis was frozen: {len(writes):,}, {durable:,} of them 202"
            ],
            [
                Invariant(
                    "frozen Redis: writes answered 202 (durable only) = writes answered",
                    durable,
                    "=",
                    len(writes),
                )
            ],
        )
