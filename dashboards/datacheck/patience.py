"""Waiting for Prometheus to have scraped everything once, which takes it up to five seconds."""

import time
from typing import Final

from dashboards.datacheck.prometheus_api import PrometheusApi

# it hands new targets to its scraper every five seconds
PATIENCE_SECONDS: Final = 10.0
_BETWEEN_SECONDS: Final = 0.2


def await_first_scrapes(api: PrometheusApi, targets: int) -> bool:
    """Wait until so many targets were scraped, up or down; tell whether they were."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        scraped = api.instant("count(up)", time.time())
        if scraped and scraped[0].values[-1] >= targets:
            return True
        time.sleep(_BETWEEN_SECONDS)
    return False
