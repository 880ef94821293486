"""One request over a connection, for the tests of the HTTP client."""

from gevent_server import PATIENCE_SECONDS

from locustfiles.http.attempt import Attempt, attempt, get
from locustfiles.http.connection import Connection
from locustfiles.http.dialer import Dialer, read_address
from locustfiles.schedule.clock import ScheduleClock

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def exchange(connection: Connection, seconds: float = PATIENCE_SECONDS) -> Attempt:
    """Attempt one request."""
    return attempt(connection, REQUEST, seconds, ScheduleClock(0))


def attempt_get(url: str, path: str, seconds: float) -> Attempt:
    """Attempt a GET of a path."""
    dialer = Dialer(read_address(url))
    connection = Connection(dialer)
    try:
        connection.ensure_open()  # to connect takes none of the time
        return get(connection, dialer.address, f"/{path}", seconds)
    finally:
        connection.close()
