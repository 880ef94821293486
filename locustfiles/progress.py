"""What the terminal shows during a run: a panel, or plain lines where nobody could see one."""

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TextIO

import gevent

from locustfiles.panel import Panel
from locustfiles.plain_lines import Phases, PlainLines
from locustfiles.run_view import RunView

__all__ = ["Phases", "Progress"]


class Display(Protocol):
    """One way to show a run."""

    def follow(self, view: RunView) -> None:
        """Follow a run until this greenlet is killed."""
        ...

    def end(self) -> None:
        """Leave the terminal as it is to stay."""
        ...


class Progress:
    """Shows a run on a stream; nothing that happens to the stream happens to the run."""

    def __init__(self, phases: Phases, stream: TextIO | None = sys.stdout) -> None:
        # None: stdout was closed before the start (`>&-`).
        self._stream = stream or io.StringIO()
        self._display: Display = (
            Panel(self._stream)
            if can_refresh(self._stream, os.environ)
            else PlainLines(phases, self.say)
        )

    def say(self, sentence: str) -> None:
        """Say one thing; when nobody can hear it any more, the run goes on all the same."""
        try:
            self._stream.write(f"{sentence}\n")
            self._stream.flush()
        except OSError:
            _silence(self._stream)

    @contextmanager
    def following(self, view: RunView) -> Iterator[None]:
        """Show a run while the block lasts."""
        showing = gevent.spawn(self._display.follow, view)
        try:
            yield
        finally:
            showing.kill()
            try:
                self._display.end()
            except Exception:
                logging.getLogger(__name__).exception("The display of the run failed")


def can_refresh(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether a panel can be drawn there again and again, and somebody is there to see it."""
    return (
        stream.isatty()
        and not environment.get("CI")
        and environment.get("TERM", "dumb") not in {"", "dumb", "unknown"}
        and stream.encoding.lower().replace("-", "") == "utf8"
    )


def _silence(stream: TextIO) -> None:
    """Let the rest go nowhere, so that Python's own flush at the end does not fail either."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
