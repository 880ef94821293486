"""Seconds in which a service stood still: far fewer answers arrived than were asked for."""

from collections.abc import Sequence
from itertools import pairwise

STALLED_BELOW = 0.5
FEWEST_OFFERED = 8


def stalled_seconds(offered: Sequence[int], completed: Sequence[int]) -> list[int]:
    """Seconds with under half as many answers as requests; quiet seconds say nothing."""
    return [
        second
        for second, (asked, answered) in enumerate(zip(offered, completed, strict=True))
        if asked >= FEWEST_OFFERED and answered < STALLED_BELOW * asked
    ]


def runs_of(seconds: Sequence[int]) -> list[tuple[int, int]]:
    """Seconds in a row as their first and their last one."""
    if not seconds:
        return []
    breaks = [(before, now) for before, now in pairwise(seconds) if now != before + 1]
    starts = [seconds[0], *(now for _, now in breaks)]
    ends = [*(before for before, _ in breaks), seconds[-1]]
    return list(zip(starts, ends, strict=True))


def ranges(seconds: Sequence[int]) -> str:
    """Seconds as a reader lists them: 3, 7-9."""
    return ", ".join(
        f"{start}" if start == end else f"{start}\N{EN DASH}{end}"
        for start, end in runs_of(seconds)
    )
