"""The terminal that the panel is drawn on: written to without ever waiting for it.

Whoever pauses the output (Ctrl-S), stops reading, or closes the window must not stop the load.
"""

import contextlib
import os
import time
from typing import Final

import gevent

_USUAL_SIZE: Final = os.terminal_size((80, 24))
_PATIENCE_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.05
# A window that keeps its size for so long is not being dragged any more.
_STEADY_SECONDS: Final = 0.2


class Terminal:
    """Takes what there is room for; the rest waits, and after an error nothing is taken."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = _private_copy(descriptor)
        self._owed = b""
        self._is_gone = False

    @property
    def is_behind(self) -> bool:
        """Whether the terminal has yet to take what it was given before."""
        self._pay()
        return bool(self._owed)

    def size(self) -> os.terminal_size:
        """The size now; of a terminal that does not know its own, the usual one."""
        try:
            size = os.get_terminal_size(self._descriptor)
        except OSError:
            return _USUAL_SIZE
        return size if size.columns and size.lines else _USUAL_SIZE

    def rest(self, seconds: float, drawn_for: os.terminal_size) -> None:
        """Wait so long, or until the size is another one and stays.

        While a window is dragged nothing should be drawn: how many rows the last picture takes has
        changed again by the time that the terminal reads how far to go up.
        """
        end = time.monotonic() + seconds
        while True:
            before = self.size()
            left = max(end - time.monotonic(), 0)
            gevent.sleep(min(left, _STEADY_SECONDS) if before == drawn_for else _STEADY_SECONDS)
            size = self.size()
            if size == before and (size != drawn_for or time.monotonic() >= end):
                return

    def write(self, text: str) -> None:
        """Write a text, now or as soon as the terminal takes it."""
        self._owed += text.encode("utf-8", "replace")
        self._pay()

    def close(self) -> None:
        """Give the terminal a moment to take the rest, then let go of it."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while self.is_behind and time.monotonic() < end:
            gevent.sleep(_POLL_SECONDS)
        os.close(self._descriptor)

    def _pay(self) -> None:
        while self._owed and not self._is_gone:
            try:
                taken = os.write(self._descriptor, self._owed)
            except BlockingIOError:
                return
            except OSError:
                self._is_gone = True
            else:
                self._owed = self._owed[taken:]
        self._owed = b""


def _private_copy(descriptor: int) -> int:
    """A descriptor of our own, which may refuse to wait without all others doing so too.

    Flags belong to an open file, and the one we were given is shared with make and the shell.
    """
    with contextlib.suppress(OSError):
        name = os.ttyname(descriptor)
        return os.open(name, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    return os.dup(descriptor)
