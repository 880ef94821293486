"""Requests outside the schedule: asking the service about itself, and loading the players."""

from locustfiles.address import Address
from locustfiles.attempt import Attempt, attempt
from locustfiles.clock import ScheduleClock
from locustfiles.connection import Connection


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
