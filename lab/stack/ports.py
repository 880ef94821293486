"""Ports on the loopback address."""

import socket
from collections import defaultdict
from collections.abc import Mapping

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


def clashing(wanted: Mapping[str, int]) -> list[str]:
    """A sentence for each port, by variable, that two would listen on; 0 is none."""
    names: dict[int, list[str]] = defaultdict(list)
    for name, port in wanted.items():
        names[port].append(name)
    return [
        f"{' and '.join(same)} are all {port}: give each a port of its own."
        for port, same in names.items()
        if port and len(same) > 1
    ]
