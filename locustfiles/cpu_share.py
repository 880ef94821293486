"""How much of one core this process uses: in the measured phase, and just now."""

import time


class CpuShare:
    """Read once a second; the measured phase begins at second 0."""

    def __init__(self, duration_seconds: int) -> None:
        self._duration_seconds = duration_seconds
        self._begun: tuple[float, float] | None = None
        self._is_over = False
        self.ratio: float | None = None

    def read(self, now_seconds: float) -> None:
        """Take a reading at a time of the schedule's clock."""
        if now_seconds < 0 or self._is_over:
            return
        now, used = time.perf_counter(), time.process_time()
        if self._begun is None:
            self._begun = (now, used)
            return
        begun, used_before = self._begun
        self.ratio = (used - used_before) / (now - begun)
        self._is_over = now_seconds >= self._duration_seconds


class CpuMeter:
    """Tells what was used of a core since it was read the last time."""

    def __init__(self) -> None:
        self._last = (time.perf_counter(), time.process_time())

    def read(self) -> float:
        """Take a reading."""
        (before, used_before), self._last = self._last, (time.perf_counter(), time.process_time())
        now, used = self._last
        return (used - used_before) / max(now - before, 1e-6)
