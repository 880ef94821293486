"""What this process knows of the boards in Redis, for the reads and writes that pass by."""

import asyncio
import time
from collections.abc import Collection, Mapping

from target_service.problems import BoardUnavailable
from target_service.projection.book import Progress
from target_service.projection.guard_script import Written
from target_service.projection.inspection import Condition
from target_service.projection.set_aside import SetAside


class Conditions:
    """Which boards are behind or gone, and how far each was seen to be.

    A board is behind while it is rebuilt, and while writes that did not reach it wait.
    """

    def __init__(self, set_aside: SetAside) -> None:
        self._set_aside = set_aside
        self._conditions: dict[str, Condition] = {}
        self._missed: dict[str, float] = {}
        self._seen: dict[str, Progress] = {}
        self.doubted = asyncio.Event()

    def check(self, key: str) -> bool:
        """Tell whether answers from the board may be behind; raises when it is gone."""
        condition = self._conditions.get(key)
        if condition is Condition.GONE:
            raise self.unavailable(key)
        return condition is Condition.BEHIND or key in self._missed

    def unavailable(self, key: str) -> BoardUnavailable:
        """Return what is to be raised in place of an answer, with Redis' refusal if it was one."""
        return BoardUnavailable(key, self._set_aside.refusal(key))

    def doubt(self, key: str) -> None:
        """Note that a write did not reach the board, and have it looked at soon."""
        self._missed[key] = time.monotonic()
        self.doubted.set()

    def saw(self, key: str, written: Written) -> None:
        """Remember how far a board was seen to be."""
        before = self._seen.get(key)
        if before is None or before.epoch != written.epoch or before.writes < written.writes:
            self._seen[key] = Progress(written.epoch, written.writes)

    def seen(self) -> Mapping[str, Progress]:
        """How far each board was seen to be until now."""
        return dict(self._seen)

    def judged(self, conditions: Mapping[str, Condition]) -> None:
        """Take over a new judgement of boards."""
        self._conditions.update(conditions)

    def rebuilt(self, keys: Collection[str], begun: float) -> None:
        """Note that boards have everything again that was accepted before their rebuild began."""
        for key in keys:
            if self._missed.get(key, begun) < begun:
                del self._missed[key]

    def replayed(self, waiting: Collection[str], missed_before: float) -> None:
        """Note that of the writes missed before then only those of `waiting` boards wait."""
        self._missed = {
            key: missed
            for key, missed in self._missed.items()
            if missed >= missed_before or key in waiting
        } | dict.fromkeys(waiting, missed_before)
