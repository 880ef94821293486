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
            moment = datetime.fromtimestamp(now_ms / 1000, UTC)
            self._text = moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now_ms % 1000:03d}Z"
        return self._text
