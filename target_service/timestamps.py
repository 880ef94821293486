"""Moments: whole milliseconds since 1970 inside, RFC 3339 in UTC with milliseconds outside."""

import re
import time
from datetime import UTC, datetime, timedelta

MOMENT_PATTERN = r"(19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z"
MOMENT_RULE = "must be a moment in UTC from 1970 on, such as 2026-11-27T18:00:00.000Z"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_well_formed = re.compile(MOMENT_PATTERN, re.ASCII).fullmatch


def wall_clock_ms() -> int:
    """Return the present moment, by the clock that all processes of this machine agree on."""
    return time.time_ns() // 1_000_000


def read_moment(text: str) -> int:
    """Return the moment that a text tells; raises ValueError when it tells none."""
    if not _well_formed(text):
        raise ValueError(MOMENT_RULE)
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    except ValueError as error:
        raise ValueError(MOMENT_RULE) from error


def rfc3339(moment_ms: int) -> str:
    """Return the text of a moment."""
    at = _EPOCH + timedelta(milliseconds=moment_ms)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment_ms % 1_000:03d}Z"
