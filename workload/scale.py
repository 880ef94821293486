"""The scale of a run: the one factor on players and rates alike."""

import math
from decimal import ROUND_UP, Context, Decimal
from fractions import Fraction
from typing import Final

from workload.assumptions import InvalidWorkload
from workload.fields import shown

LARGEST_SCALE: Final = 100


def scale_from_text(text: str) -> Fraction:
    """Read a scale such as 0.001 exactly."""
    try:
        # The float is asked first: the exact fraction of 1e-999999999 would never be finished.
        roughly = float(text)
    except ValueError:
        roughly = math.nan
    if not 0 < roughly <= LARGEST_SCALE:
        problem = (
            f"SCALE must be a decimal number above 0 and up to {LARGEST_SCALE}, such as 0.001; "
            f"it is {shown(text)}."
        )
        raise InvalidWorkload((problem,))
    return Fraction(text.strip())


def scaled_players(players: int, scale: Fraction) -> int:
    """Scale a number of players to a whole number, which may not be 0."""
    scaled = math.floor(players * scale)
    if scaled < 1:
        # Rounded up: the scale in the sentence must itself leave a player.
        enough = Context(prec=3, rounding=ROUND_UP).divide(Decimal(1), Decimal(players))
        problem = (
            f"A scale of {float(scale):g} leaves none of the {players:,} players; "
            f"use {enough:g} or more."
        )
        raise InvalidWorkload((problem,))
    return scaled
