"""Where the target is, and opening connections to it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from gevent import socket as gevent_socket
from gevent import ssl as gevent_ssl

from locustfiles.errors import BadInput


@dataclass(frozen=True)
class Address:
    """The web address of the target; `path` is the prefix of all its routes."""

    url: str
    host: str
    port: int
    is_tls: bool
    path: str

    @property
    def host_header(self) -> str:
        """The name and port as the Host header gives them."""
        return urlsplit(self.url).netloc


def read_address(url: str) -> Address:
    """Read a URL.

    Raises:
        BadInput: it is no address of a web service.
    """
    if "@" in url:
        # it may hold a password, and is not shown
        raise BadInput("The target (--host) names a user, which is not sent: leave that out.")
    problem = (
        f"The target (--host) must be an address such as http://127.0.0.1:8000; it is {url!r}."
    )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadInput(problem) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise BadInput(problem)
    is_tls = parts.scheme == "https"
    path = parts.path.rstrip("/")
    return Address(
        url=url.rstrip("/"),
        host=parts.hostname,
        port=port or (443 if is_tls else 80),
        is_tls=is_tls,
        path=path,
    )


class Dialer:
    """Opens sockets to one address; all share one TLS context, which is slow to make."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._context = _trusting_context() if address.is_tls else None

    def dial(self) -> gevent_socket.socket:
        """Open a socket; every address that the name stands for is tried in turn."""
        found = gevent_socket.getaddrinfo(
            self.address.host, self.address.port, type=gevent_socket.SOCK_STREAM
        )
        for family, kind, protocol, _, place in found[:-1]:
            try:
                return self._open(family, kind, protocol, place)
            except OSError:
                continue
        family, kind, protocol, _, place = found[-1]
        return self._open(family, kind, protocol, place)

    def _open(
        self, family: int, kind: int, protocol: int, place: tuple[object, ...]
    ) -> gevent_socket.socket:
        stream = gevent_socket.socket(family, kind, protocol)
        try:
            stream.setsockopt(gevent_socket.IPPROTO_TCP, gevent_socket.TCP_NODELAY, 1)
            stream.connect(place)
            if self._context is not None:
                stream = self._context.wrap_socket(stream, server_hostname=self.address.host)
        except BaseException:  # gevent's timeouts derive from it
            stream.close()
            raise
        return stream


def _trusting_context() -> gevent_ssl.SSLContext:
    """A context that checks names and certificates against those that this system trusts."""
    context = gevent_ssl.SSLContext(gevent_ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return context
