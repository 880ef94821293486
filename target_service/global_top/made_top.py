"""A global top as it was put together, and how it is written down."""

import msgspec
from msgspec import Struct

from target_service.leaderboard.messages import GlobalEntry


class MadeTop(Struct, frozen=True):
    """The first entries of a season at the moment its earliest partition was read.

    The moment is in microseconds of the Redis server's clock: whoever put the top together, all
    moments are of one clock and can be compared.
    """

    season: str
    as_of_us: int
    candidates: int
    recovering: bool
    entries: list[GlobalEntry]


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(MadeTop).decode
