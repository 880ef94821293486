import sys
import time

import gevent
import pytest
from gevent_server import PATIENCE_SECONDS

from locustfiles.schedule.precise_sleep import (
    GeventSleep,
    PreciseSleep,
    TimerfdSleep,
    make_precise_sleep,
)

SLEEPERS = [GeventSleep, make_precise_sleep]


@pytest.mark.parametrize("make", SLEEPERS)
def test_a_sleeper_wakes_when_the_time_has_passed(make: type[PreciseSleep]) -> None:
    """It may be a little early or late, and the scheduler looks again."""
    sleeper = make()
    begun = time.perf_counter()
    for _ in range(10):
        sleeper.sleep(0.003)
    passed = time.perf_counter() - begun
    sleeper.close()

    assert passed > 0.025


@pytest.mark.parametrize("make", SLEEPERS)
def test_other_greenlets_run_meanwhile(make: type[PreciseSleep]) -> None:
    """A sleeping greenlet does not hold up others."""
    sleeper = make()
    ran: list[int] = []
    gevent.spawn(ran.append, 1)
    sleeper.sleep(0.01)
    sleeper.close()

    assert [1] == ran


@pytest.mark.parametrize("make", SLEEPERS)
@pytest.mark.parametrize("seconds", [0.0, 1e-12])
def test_no_time_is_no_wait(make: type[PreciseSleep], seconds: float) -> None:
    """A timer that is set to nothing would never fire."""
    sleeper = make()
    with gevent.Timeout(PATIENCE_SECONDS):
        sleeper.sleep(seconds)
    sleeper.close()


def test_a_sleeper_can_be_killed_and_its_timer_used_again() -> None:
    """A stopped schedule leaves nothing behind."""
    sleeper = make_precise_sleep()
    asleep = gevent.spawn(sleeper.sleep, 60)
    gevent.sleep(0.01)
    asleep.kill()
    with gevent.Timeout(PATIENCE_SECONDS):
        sleeper.sleep(0.001)
    sleeper.close()

    assert asleep.dead


@pytest.mark.skipif(sys.platform != "linux", reason="the timer is Linux's")
def test_on_linux_the_sleeper_is_a_timer() -> None:
    """It is finer than the milliseconds in which gevent waits there."""
    sleeper = make_precise_sleep()
    sleeper.close()

    assert isinstance(sleeper, TimerfdSleep)
