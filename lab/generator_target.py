"""Tells the compose stack's Prometheus where the generator of a run is, for as long as it runs."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.compose_containers import Container
from lab.docker import Docker
from lab.errors import DockerUnavailable
from lab.metrics_relay import metrics_relay
from lab.ports import HOST

# One of the generator's places in the scrape configuration.
_FILE = "/prometheus/generator.json"
# Where Docker runs in a machine of its own, this name leads to the loopback of ours.
_OUTSIDE = "host.docker.internal"
_READABLE = 0o644


@contextmanager
def generator_target(prometheus: Container, docker: Docker, port: int) -> Iterator[None]:
    """Let Prometheus scrape what will listen on a port of this machine's loopback.

    A Prometheus that cannot be told never disturbs a run: it is said, and the run goes on.
    """
    with metrics_relay(prometheus.gateway, f"http://{HOST}:{port}/metrics") as relayed:
        address = relayed or f"{_OUTSIDE}:{port}"
        try:
            _tell(prometheus, docker, [address])
        except DockerUnavailable as error:
            print(f"Prometheus will not see the generator of this run: {error}")
            yield
            return
        try:
            yield
        finally:
            _forget(prometheus, docker)


def _forget(prometheus: Container, docker: Docker) -> None:
    try:
        _tell(prometheus, docker, [])
    except DockerUnavailable as error:
        print(f"Prometheus still looks for the generator of this run: {error}")


def _tell(prometheus: Container, docker: Docker, addresses: Sequence[str]) -> None:
    groups = [{"targets": list(addresses)}] if addresses else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "generator.json"
        file.write_text(json.dumps(groups), encoding="utf-8")
        file.chmod(_READABLE)
        docker.ask("cp", str(file), f"{prometheus.identity}:{_FILE}")
