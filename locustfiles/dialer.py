"""Opens connections to the target, encrypted when its address says https."""

from gevent import socket as gevent_socket
from gevent import ssl as gevent_ssl

from locustfiles.address import Address


class Dialer:
    """Opens sockets to one address; all share one TLS context, which is dear to make."""

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
        except BaseException:  # a timeout of gevent's is none of Exception's
            stream.close()
            raise
        return stream


def _trusting_context() -> gevent_ssl.SSLContext:
    """A context that checks names and certificates against those that this system trusts."""
    context = gevent_ssl.SSLContext(gevent_ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return context
