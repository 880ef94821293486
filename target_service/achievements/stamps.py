"""Times as the API tells them."""

import time
from datetime import UTC, datetime


def stamp(at_ms: int | None = None) -> str:
    """Return the moment, or the present one, in RFC 3339 UTC with milliseconds."""
    at_ms = time.time_ns() // 1_000_000 if at_ms is None else at_ms
    moment = datetime.fromtimestamp(at_ms / 1_000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at_ms % 1_000:03d}Z"
