"""The ports of a watch, each with the variable of make that changes it."""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

HOST: Final = "127.0.0.1"
_HIGHEST: Final = 65_535
_SERVICE, _GENERATOR, _PROMETHEUS, _GRAFANA = 8000, 9646, 9090, 3000


class WrongPorts(ValueError):
    """Some ports cannot be used; the message has a sentence for each."""


@dataclass(frozen=True)
class Ports:
    """Where the parts of a run are, and where what watches them shall be."""

    service: int = _SERVICE
    generator: int = _GENERATOR
    prometheus: int = _PROMETHEUS
    grafana: int = _GRAFANA

    @property
    def of_a_run(self) -> str:
        """What a run must be given so that it is the one watched: nothing for the usual ports."""
        moved = {
            "SERVICE_PORT": (self.service, _SERVICE),
            "LOADGEN_PORT": (self.generator, _GENERATOR),
            "GRAFANA_PORT": (self.grafana, _GRAFANA),
        }
        return "".join(f" {name}={port}" for name, (port, usual) in moved.items() if port != usual)


def read_ports(environment: Mapping[str, str]) -> Ports:
    """Read the variables; an empty one is as good as none.

    Raises:
        WrongPorts: with every one that is no port.
    """
    problems: list[str] = []
    ports = Ports(
        service=_read("SERVICE_PORT", _SERVICE, environment, problems),
        generator=_read("LOADGEN_PORT", _GENERATOR, environment, problems),
        prometheus=_read("PROMETHEUS_PORT", _PROMETHEUS, environment, problems),
        grafana=_read("GRAFANA_PORT", _GRAFANA, environment, problems),
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
