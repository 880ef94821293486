"""When a sweep is due, also where clocks skip a time of day or show it twice."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from target_service.achievements.scheduler import Nights

# Clocks that change at night, at midnight, by half an hour, and one that left out a whole day.
ZONES = ("UTC", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Pacific/Apia")
times = st.times(max_value=time(23, 58)).map(lambda at: at.replace(second=0, microsecond=0))


def _utc(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1_000, UTC).isoformat(timespec="minutes")[:16]


@pytest.mark.parametrize(
    ("zone", "night", "at", "due"),
    [
        ("UTC", "2026-03-29", "04:40", "2026-03-29T04:40"),
        ("Europe/Berlin", "2026-03-28", "04:40", "2026-03-28T03:40"),
        ("Europe/Berlin", "2026-03-29", "04:40", "2026-03-29T02:40"),
        # 02:00 to 03:00 does not exist: the first moment after it
        ("Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:00"),
        ("Europe/Berlin", "2026-03-29", "02:00", "2026-03-29T01:00"),
        ("Europe/Berlin", "2026-03-29", "03:00", "2026-03-29T01:00"),
        # 02:00 to 03:00 comes twice: the first of the two
        ("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30"),
        ("Europe/Berlin", "2026-10-25", "04:40", "2026-10-25T03:40"),
        # half an hour is skipped
        ("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:30"),
        # the 30th of December 2011 was left out
        ("Pacific/Apia", "2011-12-30", "04:40", "2011-12-30T10:00"),
        ("Pacific/Apia", "2011-12-31", "04:40", "2011-12-30T14:40"),
    ],
)
def test_the_moment_of_a_night(zone: str, night: str, at: str, due: str) -> None:
    """A skipped time is when the clocks skip it, a repeated one is its first."""
    nights = Nights(ZoneInfo(zone), time(0, 0), time.fromisoformat(at))

    assert due == _utc(nights.sweep_ms(date.fromisoformat(night)))


@given(st.sampled_from(ZONES), times, times, st.integers(1_300_000_000, 1_900_000_000))
def test_every_moment_belongs_to_one_night(zone: str, one: time, other: time, second: int) -> None:
    """The latest night was due, the next is not yet, and no reconcile begins after its sweep."""
    reconcile_at, sweep_at = sorted((one, other))
    nights = Nights(ZoneInfo(zone), reconcile_at, sweep_at)
    now_ms = second * 1_000

    latest = nights.latest(now_ms)

    assert nights.sweep_ms(latest) <= now_ms < nights.sweep_ms(latest + timedelta(days=1))
    assert nights.reconcile_ms(latest) <= nights.sweep_ms(latest)
    assert latest == nights.latest(nights.sweep_ms(latest))
