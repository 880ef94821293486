"""`make up`, `make stop` and `make down`: the compose stack begins, pauses and goes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from lab.cli.problems import Problems
from lab.cli.variables import Variables
from lab.errors import DockerUnavailable, PartFailed
from lab.stack.compose import compose_environment
from lab.stack.docker import Containers, Docker, explain, find_docker, read_containers
from lab.stack.ports import HOST, clashing, require_free
from lab.stack.stack import Session
from workload.assumptions import Assumptions

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


_COMPOSE = ("compose", "--profile", "load")
# What to open, in the order a user wants it: service, its port inside, scheme and path.
_DOORS = (
    ("grafana", 3000, "http", ""),
    ("prometheus", 9090, "http", "/alerts"),
    ("target_service", 8000, "http", "/docs"),
    ("redis", 6379, "redis", "/0"),
    ("locust-master", 8089, "http", ""),
)


def compose_command(
    command: str, variables: Variables, assumptions: Assumptions, session: Session
) -> int:
    """Do what `make up`, `make stop` or `make down` asks for.

    Raises:
        UsageError: docker is missing or does not answer, or the stack is another checkout's.
        PartFailed: docker did not get it done.
    """
    docker = find_docker(compose_environment(variables, assumptions), session)
    # a stack of this name from another checkout is not ours to touch
    containers = read_containers(docker)
    if command == "up":
        _require_ports(variables, containers)
        _up(docker, variables.mode)
    elif command == "stop":
        _stop(docker)
    else:
        _down(docker)
    return 0


def _require_ports(variables: Variables, containers: Containers) -> None:
    """Refuse ports that somebody else has, before anything is built.

    Raises:
        UsageError: with the variable that changes each.
    """
    wanted = {
        "SERVICE_PORT": variables.service_port,
        "REDIS_PORT": variables.redis_port,
        "PROMETHEUS_PORT": variables.prometheus_port,
        "GRAFANA_PORT": variables.grafana_port,
    }
    ours = {port for one in containers.values() for port in one.ports.values()}
    problems = Problems()
    problems.add(clashing(wanted))
    for variable, port in wanted.items():
        if port not in ours:
            with problems.collected():
                require_free(port, variable)
    problems.tell()


def _up(docker: Docker, mode: str) -> None:
    """Build and start the stack, wait until it is healthy, print the addresses."""
    try:
        docker.show("compose", "up", "--build", "--detach", "--wait")
    except PartFailed as error:
        raise PartFailed(
            f"{error} The stack may be half up: `make up` tries again, `make down` removes it."
        ) from None
    print(f"The compose stack is up, its service in {mode} mode:")
    print("\n".join(_addresses(read_containers(docker))))
    print(
        "`make load-naive` and `make load-partitioned` load it from now on; "
        "`make stop` pauses it, `make down` removes it."
    )


def _addresses(containers: Containers) -> Iterator[str]:
    for service, inside, scheme, path in _DOORS:
        port = containers[service].ports.get(inside) if service in containers else None
        if port is not None:
            yield f"  {service:<15} {scheme}://{HOST}:{port}{path}"


def _stop(docker: Docker) -> None:
    """Stop every container; all are kept, with what is in the volumes."""
    containers = read_belongings(docker).containers
    if not containers:
        print("There is no compose stack to pause.")
        return
    docker.show(*_COMPOSE, "stop")
    print("Paused, and kept for the next `make up`:")
    print("\n".join(f"  container {name}" for name in containers))


def _down(docker: Docker) -> None:
    """Remove containers, networks and volumes, each one named before and gone after."""
    belongings = read_belongings(docker)
    if not belongings.lines():
        print("There is no compose stack to remove.")
        return
    print("Removing the compose stack, and with its volumes all that was measured inside it:")
    print("\n".join(belongings.lines()), flush=True)
    docker.show(*_COMPOSE, "down", "--volumes", "--remove-orphans")
    left = read_belongings(docker).lines()
    if left:
        raise PartFailed("\n".join(["Not removed:", *left]))
    print(
        "Removed. The images stay, for the next `make up`; "
        "`docker image rm hotboard-service hotboard-generator` removes ours."
    )
