"""When a run's community event is open, and where its tiers are."""

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from locustfiles.operations.races import MOST_MILES
from locustfiles.plan import Plan

REFRESH_MS: Final = 1_000
_OPENS: Final = Fraction(1, 10)
_CLOSES: Final = Fraction(4, 5)
_GRACE: Final = Fraction(1, 20)
_LONGEST_GRACE_SECONDS: Final = 5
# Of the miles to be expected: one that should be reached, and two that should not.
_TIERS: Final = (("bronze", Fraction(4, 5)), ("silver", Fraction(6, 5)), ("gold", Fraction(8, 5)))
_LATER_SECONDS: Final = 3_600


@dataclass(frozen=True)
class EventWindow:
    """The window of the event, in milliseconds since 1970, and its grace."""

    opens_at_ms: int
    closes_at_ms: int
    grace_seconds: int

    @property
    def ends_at_ms(self) -> int:
        """When the end of the event is read, if somebody is there to record its closing."""
        return self.closes_at_ms + 1_000 * self.grace_seconds


def window_of(plan: Plan, second_zero_at: int | None) -> EventWindow:
    """The window within the measured phase; in an hour while it is not known when that begins."""
    start_ms = 1_000 * (int(time.time()) + _LATER_SECONDS)
    if second_zero_at is not None:
        start_ms = 1_000 * second_zero_at
    long_ms = 1_000 * plan.duration_seconds
    grace_seconds = min(int(plan.duration_seconds * _GRACE), _LONGEST_GRACE_SECONDS)
    return EventWindow(
        start_ms + int(long_ms * _OPENS), start_ms + int(long_ms * _CLOSES), grace_seconds
    )


def expected_miles(plan: Plan) -> int:
    """The miles of the races that finish inside the window, on average."""
    rate = plan.rates_per_second.get("races", Fraction(0))
    seconds = plan.duration_seconds * (_CLOSES - _OPENS)
    fresh = 1 - Fraction(str(plan.load.resent_share))
    return int(rate * seconds * fresh * Fraction(MOST_MILES + 1, 2))


def body_of(plan: Plan, window: EventWindow) -> bytes:
    """The body that makes the event."""
    expected = expected_miles(plan)
    thresholds = {name: int(expected * part) for name, part in _TIERS}
    rising = len({0, *thresholds.values()}) > len(_TIERS)
    return json.dumps(
        {
            "aggregate": {"field": "miles", "kind": "sum", "unit": "miles"},
            "opens_at": _moment(window.opens_at_ms),
            "closes_at": _moment(window.closes_at_ms),
            "grace_seconds": window.grace_seconds,
            "refresh_ms": REFRESH_MS,
            # A run too small for three different thresholds is a measurement.
            "tiers": [
                {"name": name, "threshold": threshold} for name, threshold in thresholds.items()
            ]
            if rising
            else [],
        }
    ).encode("ascii")


def _moment(ms: int) -> str:
    at = datetime.fromtimestamp(ms / 1_000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ms % 1_000:03d}Z"
