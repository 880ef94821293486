"""Moments: RFC 3339 in UTC with milliseconds outside, whole milliseconds inside."""

import re
from datetime import UTC, datetime, timedelta

MOMENT_PATTERN = r"(19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z"
MOMENT_RULE = "must be a moment in UTC from 1970 on, such as 2026-11-27T18:00:00.000Z"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_well_formed = re.compile(MOMENT_PATTERN, re.ASCII).fullmatch


def read_moment(text: str) -> int:
    """Return the milliseconds since 1970; raises ValueError when the text is no moment."""
    if not _well_formed(text):
        raise ValueError(MOMENT_RULE)
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    except ValueError as error:
        raise ValueError(MOMENT_RULE) from error


def moment(ms: int) -> str:
    """Return the text of a moment."""
    at = _EPOCH + timedelta(milliseconds=ms)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1_000:03d}Z"
