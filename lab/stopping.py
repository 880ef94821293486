"""Stops the lab in an orderly way on Ctrl-C, SIGTERM, SIGHUP, or when make is gone."""

import os
import signal
from types import FrameType

import psutil

from lab.errors import Interrupted

# The Makefile leaves the process id of make here.
_MAKE = "HOTBOARD_MAKE_PID"


class StopRequest:
    """Remembers that somebody asked to stop; waiting loops look here.

    Handlers only take a note: raising from a handler could leave a process that was
    just started without an owner.
    """

    def __init__(self) -> None:
        # How often somebody asked by Ctrl-C or SIGTERM: more than once is impatience.
        self.times = 0
        self._reason: str | None = None
        # Under make a vanished parent means that make was killed: nobody waits for us any more.
        self._parent = _parent_under_make()

    def install(self) -> None:
        """Take over SIGINT, SIGTERM, and SIGHUP unless nohup had it ignored."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._note)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._hang_up)

    @property
    def reason(self) -> str | None:
        """Why to stop, or None."""
        if self._reason is None and self._parent not in {None, os.getppid()}:
            self._reason = "stopped because the make that started it is gone"
        return self._reason

    def check(self) -> None:
        """Raise Interrupted once somebody asked to stop."""
        if self.reason is not None:
            raise Interrupted(self.reason)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.times += 1
        self._reason = self._reason or f"stopped by {signal.Signals(number).name}"

    def _hang_up(self, number: int, _frame: FrameType | None) -> None:
        """Note that the terminal is gone; a shell may say so more than once."""
        self._reason = self._reason or f"stopped by {signal.Signals(number).name}"
        # Printing to the lost terminal would fail and cost the run its audit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in (1, 2):
            if os.isatty(descriptor):
                os.dup2(nowhere, descriptor)
        os.close(nowhere)


def _parent_under_make() -> int | None:
    """The parent to watch; of a make that was killed while this was imported no process (0)."""
    make = os.environ.get(_MAKE)
    if make is None:
        return None
    return os.getppid() if make in {str(one.pid) for one in psutil.Process().parents()} else 0
