"""A global top as it was put together, and how it is written down."""

import time

import msgspec
from msgspec import Struct

from target_service.leaderboard.entries import GlobalEntry


class MadeTop(Struct, frozen=True):
    """The first entries of a season at the moment its earliest partition was read.

    The moment is in microseconds of the Redis server's clock: whoever put the top together, all
    moments are of one clock and can be compared. When that clock was set back, the moment stands
    still, a microsecond for each top, until the clock has come so far again: tops stay in order.

    `made_us` is the same moment in microseconds since this machine was started, which no clock
    that is set moves.
    """

    season: str
    as_of_us: int
    candidates: int
    recovering: bool
    entries: list[GlobalEntry]
    made_us: int = 0

    def following(self, before_us: int) -> "MadeTop":
        """Return this top as one that comes after the moment of another."""
        if self.as_of_us > before_us:
            return self
        return msgspec.structs.replace(self, as_of_us=before_us + 1)

    def age_seconds(self) -> float | None:
        """How old it is by the clock that says more; None when neither can tell.

        The one may have been set back since, the other begins anew with the machine.
        """
        by_clock_us = time.time_ns() // 1_000 - self.as_of_us
        oldest_us = max(by_clock_us, monotonic_us() - self.made_us) if self.made_us else by_clock_us
        return oldest_us / 1_000_000 if oldest_us >= 0 else None


def monotonic_us() -> int:
    """Return the microseconds since this machine was started, the same in all its processes."""
    return time.monotonic_ns() // 1_000


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(MadeTop).decode
