"""The ports of a watch, each with the variable of make that changes it."""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

HOST: Final = "127.0.0.1"
_HIGHEST: Final = 65_535


class WrongPorts(ValueError):
    """Some ports cannot be used; the message has a sentence for each."""


@dataclass(frozen=True)
class Ports:
    """Where the parts of a run are, and where what watches them shall be."""

    service: int
    generator: int
    prometheus: int
    grafana: int


def read_ports(environment: Mapping[str, str]) -> Ports:
    """Read the variables; an empty one is as good as none.

    Raises:
        WrongPorts: with every one that is no port.
    """
    problems: list[str] = []
    ports = Ports(
        service=_read("SERVICE_PORT", 8000, environment, problems),
        generator=_read("LOADGEN_PORT", 9646, environment, problems),
        prometheus=_read("PROMETHEUS_PORT", 9090, environment, problems),
        grafana=_read("GRAFANA_PORT", 3000, environment, problems),
    )
    if problems:
        raise WrongPorts("\n".join(problems))
    return ports


def require_free(wanted: Sequence[tuple[str, int]]) -> None:
    """Make sure that nobody listens on some ports, each given after its variable.

    Raises:
        WrongPorts: with every one that is taken.
    """
    taken = [
        f"Port {port} is in use: choose another one with {variable}=<port>."
        for variable, port in wanted
        if not _is_free(port)
    ]
    if taken:
        raise WrongPorts("\n".join(taken))


def _read(variable: str, default: int, environment: Mapping[str, str], problems: list[str]) -> int:
    text = environment.get(variable, "").strip()
    if not text:
        return default
    if text.isascii() and text.isdigit() and 1 <= int(text) <= _HIGHEST:
        return int(text)
    problems.append(f"{variable}={text}: give a port, a whole number from 1 to {_HIGHEST}.")
    return default


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
