"""The time an answer is as fresh as."""

from target_service.moments import rfc3339, wall_clock_ms


class Clock:
    """UTC wall time in RFC 3339 with milliseconds that never goes backwards."""

    def __init__(self) -> None:
        self._latest_ms = 0
        self._text = ""

    def stamp(self) -> str:
        """Return the present moment, or the latest one told when the wall clock was set back."""
        now_ms = wall_clock_ms()
        if now_ms > self._latest_ms:
            self._latest_ms = now_ms
            self._text = rfc3339(now_ms)
        return self._text
