"""Everything on this machine that belongs to the compose stack, by name."""

import json
from dataclasses import dataclass

from lab.docker import Docker, explain
from lab.errors import DockerUnavailable

_LABEL = "com.docker.compose.project"


@dataclass(frozen=True)
class Belongings:
    """Names, each kind in alphabetical order."""

    containers: tuple[str, ...]
    networks: tuple[str, ...]
    volumes: tuple[str, ...]

    def lines(self) -> list[str]:
        """A line for each name, with what it is."""
        return [
            f"  {kind} {name}"
            for kind, names in (
                ("container", self.containers),
                ("network", self.networks),
                ("volume", self.volumes),
            )
            for name in names
        ]


def read_belongings(docker: Docker) -> Belongings:
    """Ask docker by the label that compose gives to all it makes.

    Raises:
        DockerUnavailable: docker cannot tell.
    """
    try:
        project = json.loads(docker.ask("compose", "config", "--format", "json"))["name"]
        mine = f"label={_LABEL}={project}"
        return Belongings(
            containers=_names(docker, "ps", "--all", "--filter", mine, "--format", "{{.Names}}"),
            networks=_names(docker, "network", "ls", "--filter", mine, "--format", "{{.Name}}"),
            volumes=_names(docker, "volume", "ls", "--filter", mine, "--format", "{{.Name}}"),
        )
    except DockerUnavailable as error:
        raise explain(docker, error) from None


def _names(docker: Docker, *words: str) -> tuple[str, ...]:
    return tuple(sorted(docker.ask(*words).split()))
