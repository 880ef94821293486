"""How many exact ranks one worker computes: a token bucket with a short line in front of it."""

import asyncio
import math
import time
from collections.abc import Callable

from target_service.problems import RankLimited

BURST_SECONDS = 0.125
LINE_SECONDS = 0.25


class RankLimit:
    """Gives turns at an even rate, those unused in the last eighth of a second at once.

    Whoever comes while the next turn is less than a quarter of a second away waits for it, which
    bounds the line; whoever comes later is refused and told when to come back. It is the generic
    cell rate algorithm: all there is to remember is when the next turn is free.
    """

    def __init__(
        self,
        per_second: float,
        on_rejection: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._per_second = per_second
        self._turn_seconds = 1 / per_second
        # The turn taken now is one of the burst.
        self._kept_seconds = max(BURST_SECONDS - self._turn_seconds, 0.0)
        self._on_rejection = on_rejection
        self._clock = clock
        self._free_at = -math.inf

    async def turn(self) -> None:
        """Wait for a turn; raises RankLimited when the line is full."""
        wait_seconds = self.take()
        if wait_seconds > 0:
            await asyncio.sleep(wait_seconds)

    def take(self) -> float:
        """Take the next turn, and return how many seconds it is away."""
        now = self._clock()
        free_at = max(self._free_at, now - self._kept_seconds)
        wait_seconds = max(0.0, free_at - now)
        if wait_seconds > LINE_SECONDS:
            self._on_rejection()
            after_seconds = math.ceil(wait_seconds - LINE_SECONDS)
            raise RankLimited(
                f"A worker computes {self._per_second:g} exact ranks a second and more are asked "
                f"for; come back in {after_seconds} s.",
                after_seconds,
            )
        self._free_at = free_at + self._turn_seconds
        return wait_seconds
