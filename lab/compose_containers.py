"""The containers of the compose stack as they are, and whether a service can be loaded there."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lab.docker import Docker, explain
from lab.errors import DockerUnavailable, UsageError

SERVICE, REDIS = "target_service", "redis"
NEEDED = (REDIS, SERVICE)
VIEWERS = ("prometheus", "grafana", "redis-exporter")
_LABEL = "com.docker.compose"


@dataclass(frozen=True)
class Container:
    """One container: which service's it is, how it is, and its ports on this machine.

    `gateway` is this machine's address in the container's network, where Docker runs on it.
    """

    identity: str
    name: str
    service: str
    folder: Path
    started_at: str
    status: str
    health: str | None
    ports: Mapping[int, int]
    gateway: str

    @property
    def is_up(self) -> bool:
        """Whether it runs and is as healthy as it can tell."""
        return self.status == "running" and self.health in {None, "healthy"}

    @property
    def manner(self) -> str:
        """How it is, in words."""
        is_probed = self.status == "running" and self.health
        return f"running and {self.health}" if is_probed else self.status


Containers = Mapping[str, Container]


def read_containers(docker: Docker) -> Containers:
    """The stack's containers by service, of several the first; nothing when it was never up.

    Raises:
        DockerUnavailable: docker cannot tell.
        UsageError: a stack of this name was brought up from another checkout.
    """
    try:
        names = docker.ask("compose", "--profile", "load", "ps", "--all", "--quiet").split()
        details = json.loads(docker.ask("inspect", *names)) if names else []
    except DockerUnavailable as error:
        raise explain(docker, error) from None
    found = sorted((_container(one) for one in details), key=lambda one: one.name)
    _check_checkout(found, docker.session.checkout.root)
    return {one.service: one for one in reversed(found)}


def standing(containers: Containers) -> Literal["up", "half up", "down"]:
    """Whether what a run needs is up, in part or not at all; a paused stack is down."""
    needed = [containers[service] for service in NEEDED if service in containers]
    if len(needed) == len(NEEDED) and all(one.is_up for one in needed):
        return "up"
    return "half up" if any(one.status == "running" for one in needed) else "down"


def condition(containers: Containers, services: Sequence[str]) -> str:
    """How some services' containers are, as one sentence part."""
    return "; ".join(
        f"{service} is {containers[service].manner if service in containers else 'not there'}"
        for service in services
    )


def _container(details: Mapping[str, Any]) -> Container:
    labels, state = details["Config"]["Labels"], details["State"]
    return Container(
        identity=details["Id"],
        name=details["Name"].removeprefix("/"),
        service=labels[f"{_LABEL}.service"],
        folder=Path(labels.get(f"{_LABEL}.project.working_dir", "")),
        started_at=state["StartedAt"],
        status=state["Status"],
        health=(state.get("Health") or {}).get("Status"),
        ports=_ports(details["NetworkSettings"]["Ports"] or {}),
        gateway=_gateway(details["NetworkSettings"]["Networks"] or {}),
    )


def _ports(bindings: Mapping[str, Sequence[Mapping[str, str]] | None]) -> dict[int, int]:
    return {
        int(inside.partition("/")[0]): int(outside[0]["HostPort"])
        for inside, outside in bindings.items()
        if outside
    }


def _gateway(networks: Mapping[str, Mapping[str, str]]) -> str:
    return next((one["Gateway"] for one in networks.values()), "")


def _check_checkout(containers: Sequence[Container], root: Path) -> None:
    others = {one.folder for one in containers if one.folder.resolve() != root.resolve()}
    if others:
        raise UsageError(
            f"The compose stack on this machine was brought up from {min(others)}: use it there, "
            "or `make down` there first."
        )
