"""The time an answer is as fresh as."""

import time
from datetime import UTC, datetime


class Clock:
    """UTC wall time in RFC 3339 with milliseconds that never goes backwards."""

    def __init__(self) -> None:
        self._latest_ms = 0
        self._text = ""

    def stamp(self) -> str:
        """Return the present moment, or the latest one told when the wall clock was set back."""
        now_ms = time.time_ns() // 1_000_000
        if now_ms > self._latest_ms:
            self._latest_ms = now_ms
            self._text = rfc3339(now_ms)
        return self._text


def rfc3339(moment_ms: int) -> str:
    """Return a moment given in milliseconds since 1970 as text."""
    moment = datetime.fromtimestamp(moment_ms // 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment_ms % 1000:03d}Z"
