"""Every way to stop early leads to one place: a drain, the last numbers, the files.

SIGTERM is Locust's own way to end: it fires `quitting`, where we wait for the drain.
SIGINT (Ctrl-C) is turned into it, because Python would raise KeyboardInterrupt in whichever
greenlet happens to run, the one that is counting an answer included.
"""

import os
import signal
import sys

import gevent
from locust.runners import Runner

from locustfiles.errors import INCOMPLETE


class StopRequest:
    """Remembers why somebody wants the process to end; the first reason stays."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self._locust_listens = False

    def ask(self, reason: str) -> None:
        """Ask for an early end."""
        self.reason = self.reason or reason

    def leave_to_locust(self) -> None:
        """Note that Locust listens to SIGTERM from now on: only once it waits for no worker."""
        self._locust_listens = True

    def listen_to_signals(self, runner: Runner) -> None:
        """Take note of SIGINT and SIGTERM, and end a process that Locust would not end yet."""

        def on_interrupt() -> None:
            self.ask("stopped by SIGINT (Ctrl-C)")
            os.kill(os.getpid(), signal.SIGTERM)

        def on_terminate() -> None:
            self.ask("stopped by SIGTERM")
            if not self._locust_listens:
                runner.quit()
                sys.exit(INCOMPLETE)

        gevent.signal_handler(signal.SIGINT, on_interrupt)
        gevent.signal_handler(signal.SIGTERM, on_terminate)
