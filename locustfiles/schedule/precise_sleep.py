"""Sleeping to the microsecond, because a late wake-up is in every response time.

On Linux gevent waits in epoll, whose timeouts are whole milliseconds, rounded up: a plain sleep
wakes half a millisecond late on average.
A timer file descriptor (Linux, timerfd_create(2)) wakes within some ten microseconds.
"""

import contextlib
import ctypes
import os
import sys
from collections.abc import Callable
from typing import Protocol

import gevent

_CLOCK_MONOTONIC = 1
_READ = 1


class PreciseSleep(Protocol):
    """Lets the calling greenlet sleep."""

    def sleep(self, seconds: float) -> None:
        """Wait, letting other greenlets run; may wake a little early or late."""
        ...

    def close(self) -> None:
        """Free what the sleeper holds."""
        ...


class GeventSleep:
    """gevent's own sleep: exact where the kernel's wait is (kqueue), else to a millisecond."""

    def sleep(self, seconds: float) -> None:
        """Wait with gevent's timer."""
        gevent.sleep(seconds)

    def close(self) -> None:
        """Nothing is held."""


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _TimerSetting(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


class TimerfdSleep:
    """One timer file descriptor, waited for in gevent's loop; for one greenlet at a time."""

    def __init__(self, descriptor: int, set_timer: Callable[..., int]) -> None:
        self._descriptor = descriptor
        self._set_timer = set_timer
        self._setting = _TimerSetting()
        self._hub = gevent.get_hub()
        self._watcher = self._hub.loop.io(descriptor, _READ)

    def sleep(self, seconds: float) -> None:
        """Wait until the timer fires."""
        nanoseconds = max(int(seconds * 1e9), 1)  # 0 would disarm it
        self._setting.value.seconds, self._setting.value.nanoseconds = divmod(
            nanoseconds, 1_000_000_000
        )
        self._set_timer(self._descriptor, 0, ctypes.byref(self._setting), None)
        self._hub.wait(self._watcher)
        with contextlib.suppress(BlockingIOError):
            os.read(self._descriptor, 8)

    def close(self) -> None:
        """Close the descriptor."""
        self._watcher.close()
        os.close(self._descriptor)


def make_precise_sleep() -> PreciseSleep:
    """The most precise sleeper that this system offers."""
    if sys.platform != "linux":
        return GeventSleep()
    library = ctypes.CDLL(None)
    try:
        create, set_timer = library.timerfd_create, library.timerfd_settime
    except AttributeError:  # a C library without it
        return GeventSleep()
    descriptor = create(_CLOCK_MONOTONIC, os.O_NONBLOCK | os.O_CLOEXEC)
    return TimerfdSleep(descriptor, set_timer) if descriptor >= 0 else GeventSleep()
