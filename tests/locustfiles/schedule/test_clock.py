from locustfiles.schedule.clock import timestamp


def test_times_are_rfc_3339_with_milliseconds() -> None:
    """UTC, with a Z."""
    assert "2026-01-02T03:04:05.678Z" == timestamp(1767323045.678)
    assert "2026-01-02T03:04:05.000Z" == timestamp(1767323045)
