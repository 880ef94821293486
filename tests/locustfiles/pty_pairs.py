"""Pairs of ends of a terminal for tests: what is written at one end is read at the other."""

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def open_pty(columns: int = 80, rows: int = 24) -> Iterator[tuple[int, int]]:
    """The reader's end and the terminal's end of a terminal of that size."""
    reader, terminal = pty.openpty()
    set_size(terminal, columns, rows)
    try:
        yield reader, terminal
    finally:
        for end in (reader, terminal):
            with suppress(OSError):
                os.close(end)


def set_size(terminal: int, columns: int, rows: int) -> None:
    """Give a terminal another size."""
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def read_now(reader: int) -> bytes:
    """Everything that was written so far; the last letter may not be whole."""
    os.set_blocking(reader, False)
    found = b""
    with suppress(BlockingIOError):
        while True:
            found += os.read(reader, 65536)
    return found
