"""Ports for the processes that tests start."""

import random
import socket

# Below those that the system gives to connections, and to whoever does not care: a port that is
# free now is not taken by one of them before its process listens.
_PORTS = range(20_000, 32_000)


def free_port() -> int:
    """A port that nobody listens on."""
    while True:
        port = random.SystemRandom().choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
