"""One keep-alive HTTP/1.1 connection on a gevent socket, which never sends a request twice.

geventhttpclient's own client resends in silence when a kept connection turns out to be closed;
only its parser (llhttp) is used here.
"""

import select
from typing import Final

import gevent
import gevent.monkey
from gevent import socket as gevent_socket
from gevent import ssl as gevent_ssl
from geventhttpclient._parser import HTTPParseError

from locustfiles.answer_parser import AnswerParser
from locustfiles.dialer import Dialer
from locustfiles.failure import ExchangeFailed

_CHUNK_BYTES: Final = 16_384
# Head and body together: above every answer that is asked for, below what hurts.
LARGEST_BYTES: Final = 8_000_000

# A look at a socket must not wait in gevent's loop, so it uses the system's own poll.
_poll = gevent.monkey.get_original("select", "poll")


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
            ExchangeFailed: the server does not take it.
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
            ExchangeFailed: no whole answer came; what the server did with it is unknown.
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
                # From a server that always has more to send, `recv` never waits: without this
                # nobody else would have a turn, not even the timeout.
                gevent.sleep(0)
            part = stream.recv(_CHUNK_BYTES)
            received += len(part)
            if received > LARGEST_BYTES:
                self.close()
                raise ExchangeFailed("bad_body", written=True)
            if part:
                parser.take(part)
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
