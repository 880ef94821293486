"""One keep-alive HTTP/1.1 connection on a gevent socket, which never sends a request twice."""

import contextlib
import select
from typing import Final, Literal

import gevent
import gevent.monkey
from gevent import socket as gevent_socket
from gevent import ssl as gevent_ssl
from geventhttpclient._parser import HTTPParseError, HTTPResponseParser

from locustfiles.http.dialer import Dialer

FailureKind = Literal[
    "timeout",
    "refused",
    "reset",
    "http_4xx",
    "http_5xx",
    "redis_readonly",
    "redis_noperm",
    "redis_oom",
    "redis_refused",
    "bad_body",
    "other",
]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = (
    "timeout",
    "refused",
    "reset",
    "http_4xx",
    "http_5xx",
    # a 5xx whose problem document says what Redis refused with
    "redis_readonly",
    "redis_noperm",
    "redis_oom",
    "redis_refused",
    "bad_body",
    "other",
)

# Head and body together: above every answer of the service, below what would fill the memory.
LARGEST_BYTES: Final = 8_000_000
_CHUNK_BYTES: Final = 16_384
_FIRST_FINAL_STATUS: Final = 200

# A look at a socket must not wait in gevent's loop, so it uses the system's own poll.
_poll = gevent.monkey.get_original("select", "poll")


class ExchangeFailed(Exception):
    """A request got no whole answer; once it was written, its outcome is unknown."""

    def __init__(self, kind: FailureKind, *, written: bool) -> None:
        super().__init__(kind)
        self.kind: FailureKind = kind
        self.written = written


class AnswerParser(HTTPResponseParser):
    """Collects status and body of the answer that is expected; headers are skipped."""

    def __init__(self) -> None:
        super().__init__()
        self.status = 0
        self.body = b""
        self._parts: list[bytes] = []
        self.is_complete = False
        self._has_excess = False

    def expect_answer(self) -> None:
        """Get ready for the next answer."""
        self.body = b""
        self._parts = []
        self.is_complete = False

    def parse(self, part: bytes) -> None:
        """Parse what arrived.

        Raises:
            HTTPParseError: the bytes are no HTTP.
        """
        try:
            self.feed(part)
        except HTTPParseError:
            if not self.is_complete:
                raise
            self._has_excess = True

    def is_complete_at_end(self) -> bool:
        """Whether the end of the stream completes the answer, as it may without a length."""
        with contextlib.suppress(HTTPParseError):
            self.feed(b"")
        return self.is_complete

    def can_go_on(self) -> bool:
        """Whether the connection can carry another request."""
        return not self._has_excess and self.should_keep_alive()

    def _on_message_begin(self) -> None:
        # A second answer belongs to no request, so the connection cannot be used again.
        self._has_excess = self.is_complete

    def _on_body(self, part: bytes) -> None:
        if not self._has_excess:
            self._parts.append(bytes(part))

    def _on_message_complete(self) -> None:
        # An interim answer (1xx) is followed by the one that counts.
        if self._has_excess or self.get_code() < _FIRST_FINAL_STATUS:
            return
        self.status = self.get_code()
        self.body = b"".join(self._parts)
        self.is_complete = True

    # llhttp's binding calls all of these in any case.

    def _on_status(self, text: str) -> None: ...

    def _on_header_field(self, text: str) -> None: ...

    def _on_header_value(self, text: str) -> None: ...

    def _on_headers_complete(self) -> None: ...


class Connection:
    """Sends one request at a time and waits for its whole answer."""

    def __init__(self, dialer: Dialer) -> None:
        self._dialer = dialer
        self._socket: gevent_socket.socket | None = None
        self._parser = AnswerParser()
        self._watch = _poll()
        self.opened = 0

    def ensure_open(self) -> None:
        """Open the connection unless it is open; one that the server closed is opened again.

        Raises:
            ExchangeFailed: the server does not accept it.
        """
        if self._socket is not None and self._is_quiet(self._socket):
            return
        self.close()
        try:
            self._socket = self._dialer.dial()
        except ConnectionRefusedError as error:
            raise ExchangeFailed("refused", written=False) from error
        except ConnectionError as error:
            raise ExchangeFailed("reset", written=False) from error
        except TimeoutError as error:
            raise ExchangeFailed("timeout", written=False) from error
        except OSError as error:
            raise ExchangeFailed("other", written=False) from error
        self._parser = AnswerParser()
        self._watch = _poll()
        self._watch.register(self._socket.fileno(), select.POLLIN)
        self.opened += 1

    def exchange(self, request: bytes) -> tuple[int, bytes]:
        """Write a request on the open connection and read its answer: status and body.

        Raises:
            ExchangeFailed: no whole answer came; whether the server acted on it is unknown.
        """
        try:
            return self._exchange(request)
        except ConnectionError as error:
            self.close()
            raise ExchangeFailed("reset", written=True) from error
        except TimeoutError as error:
            self.close()
            raise ExchangeFailed("timeout", written=True) from error
        except (HTTPParseError, OSError) as error:
            self.close()
            raise ExchangeFailed("other", written=True) from error

    def close(self) -> None:
        """Close the connection; an answer still on its way is lost."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, request: bytes) -> tuple[int, bytes]:
        stream, parser = self._socket, self._parser
        if stream is None:
            raise ConnectionResetError
        parser.expect_answer()
        stream.sendall(request)
        received = 0
        while not parser.is_complete:
            if received:
                # While a server always has more to send, `recv` never waits: without this no
                # other greenlet would run, not even the timeout.
                gevent.sleep(0)
            part = stream.recv(_CHUNK_BYTES)
            received += len(part)
            if received > LARGEST_BYTES:
                self.close()
                raise ExchangeFailed("bad_body", written=True)
            if part:
                parser.parse(part)
            elif not parser.is_complete_at_end():
                raise ConnectionResetError
        if not parser.can_go_on():
            self.close()
        return parser.status, parser.body

    def _is_quiet(self, stream: gevent_socket.socket) -> bool:
        """Whether nothing has arrived, not even the end, since the last answer."""
        if not self._watch.poll(0):
            return True
        if not isinstance(stream, gevent_ssl.SSLSocket):
            return False
        # Under TLS the server may have sent session tickets, which are no sign of its end.
        stream.settimeout(0)
        try:
            stream.recv(1)
        except gevent_ssl.SSLWantReadError:
            stream.settimeout(None)
            return True
        except OSError:
            return False
        return False
