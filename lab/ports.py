"""Ports on the loopback address."""

import socket

from lab.errors import UsageError

HOST = "127.0.0.1"


def free_port() -> int:
    """A port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def require_free(port: int, variable: str) -> None:
    """Refuse a port that is taken, naming the variable that changes it.

    Raises:
        UsageError: somebody listens there.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise UsageError(
                f"Port {port} is in use: choose another one with {variable}=<port>."
            ) from None
