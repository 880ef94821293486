"""A server inside the test's own process that plays a script for every connection."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import gevent
from gevent import ssl as gevent_ssl
from gevent.server import StreamServer
from gevent.socket import socket

from locustfiles.http.dialer import Dialer, read_address

Script = Callable[[socket, "Peer"], None]
APPLIED = b'{"status":"applied"}'
# However slow the machine: reached only where something hangs.
PATIENCE_SECONDS = 60.0


class Peer:
    """What the server saw: one entry per connection, each the requests that came on it."""

    def __init__(self) -> None:
        self.requests: list[list[bytes]] = []
        self.ended = 0

    def read(self, stream: socket) -> bytes | None:
        """Read one request; None when the client has closed the connection."""
        data = b""
        while b"\r\n\r\n" not in data:
            part = stream.recv(65_536)
            if not part:
                return None
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
        while len(body) < int(length or 0):
            body += stream.recv(65_536)
        self.requests[-1].append(head + b"\r\n\r\n" + body)
        return self.requests[-1][-1]

    @property
    def total(self) -> int:
        """How many requests arrived."""
        return sum(map(len, self.requests))


def answer(body: bytes = APPLIED, status: str = "200 OK", headers: str = "") -> bytes:
    """A whole HTTP answer."""
    return f"HTTP/1.1 {status}\r\ncontent-length: {len(body)}\r\n{headers}\r\n".encode() + body


def always(data: bytes) -> Script:
    """Answer every request with the same bytes."""

    def script(stream: socket, peer: Peer) -> None:
        while peer.read(stream) is not None:
            stream.sendall(data)

    return script


def once(data: bytes) -> Script:
    """Answer one request, then close the connection."""

    def script(stream: socket, peer: Peer) -> None:
        peer.read(stream)
        stream.sendall(data)

    return script


def silent(stream: socket, peer: Peer) -> None:
    """Take every request and answer none."""
    while peer.read(stream) is not None:
        pass


def until(is_so: Callable[[], object]) -> None:
    """Let the other greenlets run until something is true."""
    with gevent.Timeout(PATIENCE_SECONDS):
        while not is_so():
            gevent.sleep(0.001)


@contextmanager
def serving(
    script: Script, certificate: tuple[str, str] | None = None
) -> Iterator[tuple[Dialer, Peer]]:
    """Serve while the block runs, over TLS when there is a certificate with its key."""
    peer = Peer()

    def handle(stream: socket, _address: object) -> None:
        peer.requests.append([])
        try:
            script(stream, peer)
        except ConnectionError:
            pass
        finally:
            peer.ended += 1
            stream.close()

    server = StreamServer(("127.0.0.1", 0), handle)
    if certificate:
        context = gevent_ssl.SSLContext(gevent_ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server = StreamServer(("127.0.0.1", 0), handle, ssl_context=context)
    server.start()
    try:
        scheme = "https" if certificate else "http"
        yield Dialer(read_address(f"{scheme}://127.0.0.1:{server.server_port}")), peer
    finally:
        server.stop()
        gevent.sleep(0)
