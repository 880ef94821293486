"""Boards in quarantine: for how long, and how often the log says so."""

import logging

import pytest
from redis.exceptions import ResponseError

from target_service.projection import quarantine
from target_service.projection.quarantine import Quarantine

ERROR = ResponseError("NOPERM of this test")


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def monotonic(self) -> float:
        """The present moment."""
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The only clock that the module has."""
    clock = Clock()
    monkeypatch.setattr(quarantine, "time", clock)
    return clock


def test_pauses_grow_up_to_a_bound(clock: Clock) -> None:
    """A board that is refused again and again is left alone for longer, but never for long."""
    aside = Quarantine()
    pauses = []
    for _ in range(5):
        aside.add("lb:eu:solo:s1", ERROR)
        began = clock.seconds
        while aside.keys():
            clock.seconds += 0.25
        pauses.append(clock.seconds - began)

    assert [0.5, 1.0, 2.0, 2.0, 2.0] == pauses


def test_a_refusal_within_a_pause_changes_nothing(clock: Clock) -> None:
    """Whoever was on the way already makes the pause no longer."""
    aside = Quarantine()
    aside.add("lb:eu:solo:s1", ERROR)
    clock.seconds += 0.25
    aside.add("lb:eu:solo:s1", ERROR)
    clock.seconds += 0.25

    assert frozenset() == aside.keys()


@pytest.mark.usefixtures("clock")
def test_the_log_has_the_first_refusal_and_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """One line when it begins and one when it is over; none for a board that was well."""
    caplog.set_level(logging.INFO)
    aside = Quarantine()
    for key in ("lb:eu:solo:s1", "lb:eu:solo:s1", "lb:eu:duo:s1"):
        aside.add(key, ERROR)
    for key in ("lb:eu:solo:s1", "lb:eu:solo:s1", "lb:eu:squad:s1"):
        aside.release(key)

    assert [
        "The board lb:eu:solo:s1 is in quarantine: Redis refuses it (NOPERM of this test)",
        "The board lb:eu:duo:s1 is in quarantine: Redis refuses it (NOPERM of this test)",
        "Redis takes the board lb:eu:solo:s1 again",
    ] == caplog.messages
    assert {"lb:eu:duo:s1"} == aside.keys()
