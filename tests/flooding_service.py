"""A service whose answers never end, in a process of its own: it sends faster than one reads.

The first part of a path says which of its answers is wanted.
"""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_OK = b"HTTP/1.1 200 OK\r\n"
_CHUNKED = _OK + b"transfer-encoding: chunked\r\n\r\n"
# What comes once, and what follows for ever.
FLOODS = {
    "body": (_OK + b"\r\n", b"x" * 65_536),
    "huge-chunk": (_CHUNKED + b"ffffffffffffff\r\n", b"x" * 65_536),
    "small-chunks": (_CHUNKED, b"1\r\nx\r\n" * 10_000),
    "headers": (_OK, b"x-more: of the same\r\n" * 3_000),
    "one-header": (_OK + b"x-more: ", b"x" * 65_536),
    "interim": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000),
    "trailers": (_CHUNKED + b"0\r\n", b"x-more: of the same\r\n" * 3_000),
}
# The same a byte at a time.
DRIPS = {
    "drip-body": (_OK + b"\r\n", b"x"),
    "drip-head": (_OK + b"x-more: ", b"x"),
    "drip-interim": (_OK.replace(b"200", b"100") + b"x-more: ", b"x"),
}
_DRIP_SECONDS = 0.05


@contextmanager
def flooding_service() -> Iterator[str]:
    """Its address while the block runs."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


def _answer(stream: socket.socket) -> None:
    with stream:
        try:
            asked = stream.recv(65_536).split(b" ")[1].decode().split("/")[1]
            first, more = (FLOODS | DRIPS)[asked]
            stream.sendall(first)
            while True:
                stream.sendall(more)
                if asked in DRIPS:
                    time.sleep(_DRIP_SECONDS)
        except OSError:
            return


def _serve() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        while True:
            threading.Thread(target=_answer, args=(listener.accept()[0],), daemon=True).start()


if __name__ == "__main__":
    _serve()
