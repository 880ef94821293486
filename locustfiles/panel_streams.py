"""Leads what others print on the panel's terminal to the lines above the panel."""

import contextlib
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO


class LinesAbove(io.TextIOBase):
    """A stream that hands on whole lines."""

    def __init__(self, hand_on: Callable[[str], None]) -> None:
        super().__init__()
        self._hand_on = hand_on
        self._begun = ""

    def write(self, text: str) -> int:
        """Take some text; what is no whole line yet waits for its rest."""
        *whole, self._begun = f"{self._begun}{text}".split("\n")
        if whole:
            self._hand_on("".join(f"{line}\n" for line in whole))
        return len(text)

    def writable(self) -> bool:
        """It is."""
        return True

    def hand_on_the_rest(self) -> None:
        """Treat what was begun as a line."""
        if self._begun:
            self.write("\n")


@contextlib.contextmanager
def led_above(descriptor: int, hand_on: Callable[[str], None]) -> Iterator[None]:
    """Lead the standard streams and the log to the panel where they are on its terminal."""
    above = LinesAbove(hand_on)
    with contextlib.ExitStack() as undo:
        undo.callback(above.hand_on_the_rest)
        for handler in _log_handlers():
            if _is_on(handler.stream, descriptor):
                undo.callback(handler.setStream, handler.setStream(above))
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if _is_on(stream, descriptor):
                undo.callback(setattr, sys, name, stream)
                setattr(sys, name, above)
        yield


def _log_handlers() -> Iterator["logging.StreamHandler[Any]"]:
    loggers = [logging.getLogger(), *map(logging.getLogger, logging.root.manager.loggerDict)]
    handlers = dict.fromkeys(one for logger in loggers for one in logger.handlers)
    for handler in handlers:
        if isinstance(handler, logging.StreamHandler):
            yield handler


def _is_on(stream: TextIO, descriptor: int) -> bool:
    """Whether a stream leads to the same terminal."""
    try:
        return os.fstat(stream.fileno()).st_rdev == os.fstat(descriptor).st_rdev
    except (OSError, ValueError):
        return False
