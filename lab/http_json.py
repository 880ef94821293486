"""The lab's own requests over HTTP: bounded in time and in size, whatever the other side sends.

They go straight to the address that is named, as the load does: through no proxy.
"""

import http.client
import io
import json
import socket
import time
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from lab.addresses import shown

_SECONDS: Final = 5.0
_LARGEST_BYTES: Final = 8_000_000
_CHUNK_BYTES: Final = 65_536
_SHOWN_CHARACTERS: Final = 500
_MOST_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_FIRST_REFUSAL: Final = 300


class NoAnswer(Exception):
    """No document came; says why."""

    def __init__(self, said: str) -> None:
        super().__init__(shown(said)[:_SHOWN_CHARACTERS])


class Refused(NoAnswer):
    """The other side refuses, with a status."""

    def __init__(self, said: str, status: int) -> None:
        super().__init__(said)
        self.status = status


class Answer(NamedTuple):
    """A whole answer, whatever its status."""

    status: int
    kind: str
    body: bytes
    leads_to: str | None


def fetch(url: str, method: str = "GET", seconds: float = _SECONDS) -> Answer:
    """Ask an address of HTTP, over a connection of its own; a GET follows where it is sent on.

    Raises:
        NoAnswer: nobody answers, or not with HTTP, or it takes too long, or never ends.
    """
    try:
        for _ in range(_MOST_REDIRECTS):
            answer = _fetch_once(url, method, seconds)
            if answer.leads_to is None or method != "GET":
                return answer
            url = urljoin(url, answer.leads_to)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NoAnswer(plain_words(error)) from None
    raise NoAnswer("it sends on from one address to the next")


def ask_json(url: str, method: str = "GET") -> Any:  # noqa: ANN401  whatever the other side says
    """The document at an address, of any kind.

    Raises:
        Refused: the other side does not want to.
        NoAnswer: nobody answers, or not with JSON, or it takes too long.
    """
    answer = fetch(url, method)
    if answer.status >= _FIRST_REFUSAL:
        raise Refused(_refusal(answer), answer.status)
    try:
        return json.loads(answer.body)
    except ValueError as error:
        raise NoAnswer(plain_words(error)) from None
    except RecursionError:
        raise NoAnswer("its JSON is nested too deeply") from None


def connection_to(url: str, seconds: float) -> http.client.HTTPConnection:
    """A connection whose answers are bounded; `seconds` is for one answer, head and body."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"}:
        raise ValueError(f"{parts.scheme}:// is no address of HTTP")
    is_plain = parts.scheme == "http"
    make = http.client.HTTPConnection if is_plain else http.client.HTTPSConnection
    connection = make(parts.hostname or "", parts.port, timeout=seconds)
    bounded: Any = partial(_BoundedAnswer, seconds=seconds)
    connection.response_class = bounded
    return connection


def whole_body(answer: http.client.HTTPResponse) -> bytes:
    """The body; asked for all of it at once, Python would make room for as much as is announced."""
    with answer:
        return b"".join(iter(lambda: answer.read1(_CHUNK_BYTES), b""))


def plain_words(error: Exception) -> str:
    """What went wrong, without the words around it that only a programmer knows."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if isinstance(error, http.client.BadStatusLine) and not isinstance(error, ConnectionError):
        told = "it does not speak HTTP"
    return told.strip().rstrip(".") or type(error).__name__


def _fetch_once(url: str, method: str, seconds: float) -> Answer:
    connection = connection_to(url, seconds)
    try:
        parts = urlsplit(url)
        connection.request(method, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        answer = connection.getresponse()
        leads_to = answer.getheader("Location") if answer.status in _REDIRECTS else None
        kind = answer.getheader("Content-Type", "")
        return Answer(answer.status, kind, whole_body(answer), leads_to)
    finally:
        connection.close()


def _refusal(answer: Answer) -> str:
    """What a problem document says, or else the status."""
    try:
        detail = json.loads(answer.body)["detail"]
    except (ValueError, LookupError, TypeError, RecursionError):
        detail = None
    return detail.rstrip(".") if isinstance(detail, str) else f"it answers {answer.status}"


class _BoundedAnswer(http.client.HTTPResponse):
    """An answer with an end, in its head as well as in its body and behind it."""

    def __init__(self, stream: socket.socket, *rest: Any, seconds: float, **more: Any) -> None:  # noqa: ANN401  as Python has it
        super().__init__(stream, *rest, **more)
        arriving: Any = self.fp.detach()
        self.fp = io.BufferedReader(_Arriving(stream, arriving, seconds))


class _Arriving(io.RawIOBase):
    """What arrives on a socket, until its time is over or it is too much."""

    def __init__(self, stream: socket.socket, arriving: io.RawIOBase, seconds: float) -> None:
        self._stream = stream
        self._arriving = arriving
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._room = _LARGEST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401  as Python has it
        try:
            # nought would mean not to wait at all, and less is refused
            self._stream.settimeout(max(self._end - time.monotonic(), 0.001))
            count = self._arriving.readinto(buffer)
        except TimeoutError:
            count = None
        finally:
            self._stream.settimeout(self._seconds)
        if count is None or time.monotonic() > self._end:
            raise TimeoutError(f"it was not whole after {self._seconds:g} s")
        self._room -= count
        if self._room < 0:
            # no ValueError: Python would take that for a chunk without a length
            raise OSError(f"it is longer than {_LARGEST_BYTES:,} bytes")
        return count

    def close(self) -> None:
        self._arriving.close()
        super().close()
