"""Waiting until Prometheus has what a check needs: first scrapes, and scrapes that work."""

import time
from typing import Final

from dashboards.datacheck.prometheus_api import PrometheusApi

# it hands new targets to its scraper every five seconds
PATIENCE_SECONDS: Final = 30.0
_BETWEEN_SECONDS: Final = 0.2
# A target that is gone for good is not waited for longer than this.
_STEADY_SECONDS: Final = 10.0
# One scrape that came too late empties what is worked out from the last few seconds.
_STEADY: Final = "min(min_over_time(up[4s]))"
# A scrape that fails is told with the time at which it began: until it times out nobody knows.
_SETTLED_SECONDS: Final = 1.1


def await_first_scrapes(api: PrometheusApi, targets: int) -> bool:
    """Wait until so many targets were scraped, up or down; tell whether they were."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        scraped = api.instant("count(up)", time.time())
        if scraped and scraped[0].values[-1] >= targets:
            return True
        time.sleep(_BETWEEN_SECONDS)
    return False


def steady_moment(api: PrometheusApi) -> float:
    """Wait until no scrape of the last few seconds failed; the time to ask for lies just behind."""
    deadline = time.monotonic() + _STEADY_SECONDS
    while True:
        moment = time.time() - _SETTLED_SECONDS
        scraped = api.instant(_STEADY, moment)
        if (scraped and scraped[0].values[-1] == 1) or time.monotonic() > deadline:
            return moment
        time.sleep(_BETWEEN_SECONDS)
