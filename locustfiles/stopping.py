"""Every way to stop early leads to one place: a drain, the last numbers, the files.

SIGTERM is Locust's own way to end: it fires `quitting`, where we wait for the drain.
SIGINT (Ctrl-C) is turned into it, because Python would raise KeyboardInterrupt in whichever
greenlet happens to run, the one that is counting an answer included.
"""

import os
import signal
from collections.abc import Callable

import gevent


def install(note_reason: Callable[[str], None], end_before_start: Callable[[], None]) -> None:
    """Take note of SIGINT and SIGTERM before Locust acts on them.

    Locust listens to SIGTERM only once it has started; until then we must end by ourselves.
    """

    def on_interrupt() -> None:
        note_reason("stopped by SIGINT (Ctrl-C)")
        os.kill(os.getpid(), signal.SIGTERM)

    def on_terminate() -> None:
        note_reason("stopped by SIGTERM")
        end_before_start()

    gevent.signal_handler(signal.SIGINT, on_interrupt)
    gevent.signal_handler(signal.SIGTERM, on_terminate)
