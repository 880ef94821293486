from dataclasses import replace

import pytest
from run_views import clock_at, make_view

from locustfiles.live.snapshot import Phase, current_phase
from locustfiles.run.loading import Loading


@pytest.mark.parametrize(
    ("loaded", "seconds", "expected"),
    [
        (0, 0.1, Phase("loading players", 0.0, "0 of 12,000")),
        (3_000, 2.0, Phase("loading players", 0.25, "3,000 of 12,000, about 6 s left")),
        (12_000, 2.0, Phase("starting", None, "opening connections")),
    ],
)
def test_before_the_start(loaded: int, seconds: float, expected: Phase) -> None:
    """What is left to load is judged by what it took so far."""
    view = make_view(loading=Loading(12_000, ok=loaded))

    assert expected == current_phase(view, seconds, -5, 0)


@pytest.mark.parametrize(
    ("now", "waiting", "expected"),
    [
        (-5.4, 0, Phase("starting", None, "at the next whole second")),
        (-3.5, 0, Phase("warm-up", 1 / 5, "1 of 5 s, 4 s left")),
        (0.0, 0, Phase("measured", 0.0, "0 of 60 s, 60 s left")),
        (59.9, 0, Phase("measured", 59 / 60, "59 of 60 s, 1 s left")),
        (60.25, 12, Phase("drain", None, "waiting for 12 answers, at most 20 s")),
        (75.0, 1, Phase("drain", None, "waiting for 1 answer, at most 5 s")),
        (99.0, 1, Phase("drain", None, "waiting for 1 answer, at most 0 s")),
    ],
)
def test_on_the_schedule(now: float, waiting: int, expected: Phase) -> None:
    """Whole seconds of the schedule; the drain is bounded by the limits of a request."""
    view = make_view(clock=clock_at(now))

    assert expected == current_phase(view, now, int(now), waiting)


def test_a_run_of_hours() -> None:
    """A reader need not divide seconds."""
    view = make_view(clock=clock_at(3_723.0))
    view.plan = replace(view.plan, duration_seconds=86_400)

    assert "3723 of 24 h 00 min, 22 h 57 min left" == current_phase(view, 3_723.0, 3_723, 0).words


def test_a_run_that_stops_says_why() -> None:
    """In any phase, and until its files are written."""
    view = make_view(clock=clock_at(12.0), why_stopping=lambda: "stopped by SIGTERM")
    stopping = current_phase(view, 12.0, 12, 3)
    view.ended = "interrupted"

    assert Phase("stopping", None, "stopped by SIGTERM; waiting for 3 answers") == stopping
    assert Phase("interrupted", 0.2, "12 of 60 s measured") == current_phase(view, 14.0, 12, 0)


def test_a_run_that_ended_early_has_measured_nothing() -> None:
    """Seconds of the warm-up are none of the measured phase."""
    view = make_view(ended="failed-to-load")

    assert Phase("failed-to-load", 0.0, "0 of 60 s measured") == current_phase(view, 1.0, -5, 0)
