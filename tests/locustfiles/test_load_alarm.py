import sys
import time

import gevent
import pytest
from gevent_server import PATIENCE_SECONDS

from locustfiles.schedule.precise_sleep import Alarm, PlainAlarm, TimerAlarm, make_alarm

ALARMS = [PlainAlarm, make_alarm]


@pytest.mark.parametrize("make", ALARMS)
def test_an_alarm_wakes_when_the_time_has_passed(make: type[Alarm]) -> None:
    """It may be a little early or late, and the scheduler looks again."""
    alarm = make()
    begun = time.perf_counter()
    for _ in range(10):
        alarm.sleep(0.003)
    passed = time.perf_counter() - begun
    alarm.close()

    assert passed > 0.025


@pytest.mark.parametrize("make", ALARMS)
def test_other_greenlets_run_meanwhile(make: type[Alarm]) -> None:
    """An alarm holds up nobody."""
    alarm = make()
    ran: list[int] = []
    gevent.spawn(ran.append, 1)
    alarm.sleep(0.01)
    alarm.close()

    assert [1] == ran


@pytest.mark.parametrize("make", ALARMS)
@pytest.mark.parametrize("seconds", [0.0, 1e-12])
def test_no_time_is_no_wait(make: type[Alarm], seconds: float) -> None:
    """A timer that is set to nothing would never fire."""
    alarm = make()
    with gevent.Timeout(PATIENCE_SECONDS):
        alarm.sleep(seconds)
    alarm.close()


def test_a_sleeper_can_be_killed_and_its_alarm_used_again() -> None:
    """A stopped schedule leaves nothing behind."""
    alarm = make_alarm()
    sleeper = gevent.spawn(alarm.sleep, 60)
    gevent.sleep(0.01)
    sleeper.kill()
    with gevent.Timeout(PATIENCE_SECONDS):
        alarm.sleep(0.001)
    alarm.close()

    assert sleeper.dead


@pytest.mark.skipif(sys.platform != "linux", reason="the timer is Linux's")
def test_on_linux_the_alarm_is_a_timer() -> None:
    """It is finer than the milliseconds in which gevent waits there."""
    alarm = make_alarm()
    alarm.close()

    assert isinstance(alarm, TimerAlarm)
