"""The tops that one worker answers from."""

import time
from collections.abc import Iterable

from target_service.global_top.made_top import MadeTop
from target_service.metrics import TopSeries


class Copies:
    """The newest top of each season that this worker knows; an older one never replaces it."""

    def __init__(self, series: TopSeries) -> None:
        self._tops: dict[str, MadeTop] = {}
        self._series = series

    def get(self, season: str) -> MadeTop | None:
        """Return the season's top, if there is one yet."""
        return self._tops.get(season)

    def as_of_us(self, season: str) -> int:
        """Return the moment of the season's top; 0 when there is none."""
        top = self._tops.get(season)
        return 0 if top is None else top.as_of_us

    def take(self, tops: Iterable[MadeTop]) -> None:
        """Take over those that are newer."""
        for top in tops:
            if top.as_of_us > self.as_of_us(top.season):
                self._tops[top.season] = top
        if self._tops:
            self._series.as_of.set(min(map(_moment, self._tops.values())))


def _moment(top: MadeTop) -> float:
    """When a top was put together, by this machine's clock; one that was set back counts anew."""
    now = time.time()
    told = top.as_of_us / 1_000_000
    return told if told <= now else now - (top.age_seconds() or 0)
