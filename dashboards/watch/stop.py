"""The wish to stop: Ctrl-C, SIGTERM, SIGHUP, or that the make which started this is gone."""

import os
import signal
from types import FrameType

import psutil

# The Makefile leaves the process id of make here.
_MAKE = "HOTBOARD_MAKE_PID"


class Stopped(Exception):
    """Somebody wants the watch to end."""


class StopRequest:
    """Takes a note of the wish, for loops that wait to look at.

    Raising from a signal's handler could leave a process that was just started without an owner.
    """

    def __init__(self) -> None:
        self._is_asked = False
        self._parent = _parent_under_make()

    def listen(self) -> None:
        """Take over the signals."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def check(self) -> None:
        """Look at the note.

        Raises:
            Stopped: somebody asked, or make is gone.
        """
        if self._is_asked or self._parent not in {None, os.getppid()}:
            raise Stopped

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._is_asked = True


def _parent_under_make() -> int | None:
    """The parent to watch; of a make that was killed while this was imported no process (0)."""
    make = os.environ.get(_MAKE)
    if make is None:
        return None
    return os.getppid() if make in {str(one.pid) for one in psutil.Process().parents()} else 0
