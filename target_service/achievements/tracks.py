"""The one list of which counter earns which achievement, at which numbers, for how many points."""

from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32


class Level(NamedTuple):
    """A number to reach, and the points it is worth on its own."""

    at: int
    points: int


# Each is looked up by what it is, not by what it says: that is quick.
@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """The counter in `column` earns the levels of one achievement, in rising order."""

    column: str
    achievement: str
    levels: tuple[Level, ...]

    @property
    def total_column(self) -> str:
        """The standings' column of the running total, as SQL names it."""
        return f'"{self.achievement}_total"'

    @property
    def level_column(self) -> str:
        """The standings' column of the highest level unlocked, as SQL names it."""
        return f'"{self.achievement}_level"'


TRACKS = (
    Track("page_views", "shop-window", (
        Level(100, 5), Level(1_000, 10), Level(10_000, 25), Level(100_000, 60),
    )),
    Track("unique_visitors", "crowd-puller", (
        Level(50, 5), Level(500, 15), Level(5_000, 40), Level(50_000, 100),
    )),
    Track("link_clicks", "door-opener", (
        Level(25, 5), Level(250, 15), Level(2_500, 40), Level(25_000, 100),
    )),
    Track("signups", "host", (
        Level(1, 10), Level(10, 30), Level(100, 80), Level(1_000, 200),
    )),
    Track("organizations", "founder", (
        Level(1, 20), Level(5, 50), Level(25, 120), Level(100, 300),
    )),
    Track("paid_accounts", "rainmaker", (
        Level(1, 50), Level(5, 100), Level(25, 250), Level(100, 600),
    )),
)  # fmt: skip

# Wherever six numbers stand in a row it is in this order. What is kept, in the ledger's file or on
# the wire, is kept by name: a counter by its own, what it earned by the achievement's.
COLUMNS = tuple(track.column for track in TRACKS)

# A standing says which list it was settled by: another list settles it anew.
EDITION = crc32(repr(TRACKS).encode())
