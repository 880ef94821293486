"""Every way to stop early leads to one place: a drain, the last numbers, the files.

SIGTERM is Locust's own way to end: it fires `quitting`, where we wait for the drain.
SIGINT (Ctrl-C) is turned into it, because Python would raise KeyboardInterrupt in whichever
greenlet happens to run, the one that is counting an answer included.
So is SIGHUP, at which Python would end on the spot and leave nothing.
"""

import os
import signal
import sys

import gevent
from locust.runners import Runner

from locustfiles.errors import INCOMPLETE


class StopRequest:
    """Remembers why the process is to end early; the first reason stays."""

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
        """Handle SIGINT, SIGHUP and SIGTERM, and end a process that Locust would not end yet."""

        def on_interrupt() -> None:
            self.ask("stopped by SIGINT (Ctrl-C)")
            os.kill(os.getpid(), signal.SIGTERM)

        def on_hang_up() -> None:
            self.ask("stopped by SIGHUP (its terminal was closed)")
            os.kill(os.getpid(), signal.SIGTERM)

        def on_terminate() -> None:
            self.ask("stopped by SIGTERM")
            if not self._locust_listens:
                runner.quit()
                sys.exit(INCOMPLETE)

        gevent.signal_handler(signal.SIGINT, on_interrupt)
        # under nohup it is ignored, which must stay so
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            gevent.signal_handler(signal.SIGHUP, on_hang_up)
        gevent.signal_handler(signal.SIGTERM, on_terminate)
