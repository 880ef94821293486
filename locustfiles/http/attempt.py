"""One attempt to send a request: never repeated, bounded in time, and timed."""

from typing import Any, Final, NamedTuple

import gevent
import msgspec

from locustfiles.errors import UNREADABLE, readable
from locustfiles.http.connection import LARGEST_BYTES, Connection, ExchangeFailed, FailureKind
from locustfiles.http.dialer import Address
from locustfiles.schedule.clock import ScheduleClock

_OK: Final = 200
_SHOWN_BYTES: Final = 500


class Attempt(NamedTuple):
    """The outcome of a request; without a failure there is a whole answer, whatever its status."""

    begun_us: int
    ended_us: int
    failure: FailureKind | None
    was_written: bool
    status: int = 0
    body: bytes = b""

    @property
    def is_ok(self) -> bool:
        """Whether the service answered 200."""
        return self.failure is None and self.status == _OK

    def document(self) -> dict[str, Any] | None:
        """The JSON object of a 200; None when there was none."""
        if not self.is_ok:
            return None
        try:
            return msgspec.json.decode(self.body, type=dict[str, Any])
        except UNREADABLE:
            return None

    def in_words(self) -> str:
        """The outcome, for a sentence that says what failed."""
        if self.failure == "bad_body":
            return f"an answer of more than {LARGEST_BYTES:,} bytes"
        if self.failure is not None:
            return f"no answer ({self.failure})"
        shown = readable(self.body[:_SHOWN_BYTES].decode("utf-8", "replace"))
        return f"the service answered {self.status} with {shown}"


def attempt(
    connection: Connection, request: bytes, timeout_seconds: float, clock: ScheduleClock
) -> Attempt:
    """Send a request; service time begins when its bytes are written, after any reconnect.

    A greenlet is killed when its wait is over, so that is a timeout too.
    """
    begun_us = clock.now_us()
    was_written = False
    patience = gevent.Timeout.start_new(timeout_seconds)
    try:
        connection.ensure_open()
        begun_us = clock.now_us()
        was_written = True
        status, body = connection.exchange(request)
        return Attempt(begun_us, clock.now_us(), None, True, status, body)
    except ExchangeFailed as error:
        return Attempt(begun_us, clock.now_us(), error.kind, error.written)
    except (gevent.Timeout, gevent.GreenletExit):
        connection.close()
        return Attempt(begun_us, clock.now_us(), "timeout", was_written)
    except Exception:  # noqa: BLE001  whatever it was, a request must have an outcome
        connection.close()
        return Attempt(begun_us, clock.now_us(), "other", was_written)
    finally:
        patience.close()


def get(connection: Connection, address: Address, path: str, seconds: float) -> Attempt:
    """Send a GET and wait for its answer."""
    head = f"GET {address.path}{path} HTTP/1.1\r\nHost: {address.host_header}\r\n\r\n"
    return attempt(connection, head.encode("ascii"), seconds, ScheduleClock(0))


def post_json(
    connection: Connection, address: Address, path: str, body: bytes, seconds: float
) -> Attempt:
    """Send a POST with a JSON body and wait for its answer."""
    return _send_json("POST", connection, address, path, body, seconds)


def put_json(
    connection: Connection, address: Address, path: str, body: bytes, seconds: float
) -> Attempt:
    """Send a PUT with a JSON body and wait for its answer."""
    return _send_json("PUT", connection, address, path, body, seconds)


def _send_json(
    method: str, connection: Connection, address: Address, path: str, body: bytes, seconds: float
) -> Attempt:
    head = (
        f"{method} {address.path}{path} HTTP/1.1\r\nHost: {address.host_header}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return attempt(connection, head.encode("ascii") + body, seconds, ScheduleClock(0))
