"""A panel's query as Grafana sends it: its step, and every variable filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

# how far apart Prometheus scrapes: the data source's timeInterval
SCRAPE_SECONDS: Final = 1
# a panel as wide as the page, on a common screen
PIXELS_PER_COLUMN: Final = 60
# Grafana's round intervals: a step up to the first number becomes the second, in seconds
_ROUND: Final = (
    (1.5, 1), (3.5, 2), (7.5, 5), (12.5, 10), (17.5, 15), (25, 20), (45, 30), (90, 60), (210, 120),
    (450, 300), (750, 600), (1050, 900), (1500, 1200), (2700, 1800), (5400, 3600),
)  # fmt: skip
_UNIT_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SINCE: Final = re.compile(r"now-(\d+)([smhd])")
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(frozen=True)
class Window:
    """What a panel covers: so many seconds up to now, one point for each step."""

    range_seconds: int
    step_seconds: int

    @property
    def rate_seconds(self) -> int:
        """The window of a rate: four scrapes at least, and one more than the step."""
        return max(self.step_seconds + SCRAPE_SECONDS, 4 * SCRAPE_SECONDS)

    def variables(self) -> dict[str, str]:
        """Name what Grafana fills in by itself."""
        return {
            "__interval": f"{self.step_seconds}s",
            "__rate_interval": f"{self.rate_seconds}s",
            "__range": f"{self.range_seconds}s",
        }


def window(since: str, columns: int) -> Window:
    """Work out the window of a panel that is so many columns wide."""
    found = _SINCE.fullmatch(since)
    if found is None:
        raise ValueError(f"A dashboard starts at now-<number><s|m|h|d>, not at {since}.")
    seconds = int(found[1]) * _UNIT_SECONDS[found[2]]
    wanted = seconds / (columns * PIXELS_PER_COLUMN)
    step = next((to for limit, to in _ROUND if wanted < limit), _ROUND[-1][1])
    return Window(seconds, max(step, SCRAPE_SECONDS))


def fill(expr: str, variables: Mapping[str, str]) -> str:
    """Put every variable's value in its place.

    Raises:
        ValueError: a variable has no value.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name not in variables:
            raise ValueError(f"The query uses ${name}, which no variable is called: {expr}")
        return variables[name]

    return _VARIABLE.sub(value, expr)
