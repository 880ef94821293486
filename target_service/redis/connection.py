"""Connections made from a URL, with every automatic retry off."""

from collections.abc import Callable
from typing import Any

from redis.asyncio.connection import AbstractConnection, Connection, parse_url


def connector(url: str, timeout_seconds: float) -> Callable[[], AbstractConnection]:
    """Return a maker of unconnected connections.

    Raises:
        ValueError: the URL is no Redis URL.
        TypeError: the URL carries an option that a connection does not have.

    """
    options: dict[str, Any] = dict(parse_url(url))
    connection_class = options.pop("connection_class", Connection)
    options |= {
        # The pipeline bounds every exchange itself; a second timer per read would only cost time.
        "socket_timeout": None,
        "socket_connect_timeout": timeout_seconds,
        # A timed-out command may have run: only its caller knows whether it is safe to send again.
        "retry": None,
        "retry_on_timeout": False,
        "retry_on_error": [],
        "health_check_interval": 0,
        # RESP2 hands scores over as the server's own text, also through scripts.
        "protocol": 2,
        "decode_responses": True,
        "encoding_errors": "replace",
    }

    def make() -> AbstractConnection:
        connection: AbstractConnection = connection_class(**options)
        return connection

    make()
    return make
