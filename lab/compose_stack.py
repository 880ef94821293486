"""The stack that `make up` brought up, loaded through the ports it publishes on this machine."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from lab.compose_containers import (
    REDIS,
    SERVICE,
    VIEWERS,
    Container,
    Containers,
    read_containers,
)
from lab.compose_environment import compose_environment
from lab.compose_mode import ask_former, switch, unlink_boards
from lab.container_watch import ContainerWatch, watched
from lab.docker import Docker
from lab.errors import PartFailed, UsageError
from lab.generator_target import generator_target
from lab.ports import HOST
from lab.redis_access import unlink
from lab.service_settings import board_keys, served_keys
from lab.stack import Processes
from lab.variables import Variables
from workload.assumptions import Assumptions

_REDIS_PORT, _SERVICE_PORT = 6379, 8000


@dataclass(frozen=True)
class ComposeStack:
    """The published addresses of a compose stack, and a watch on each container in use."""

    redis_url: str
    service_url: str
    docker: Docker
    watches: tuple[ContainerWatch, ...]

    def failure(self) -> str | None:
        """A sentence about a container that ended, or None."""
        return next((said for watch in self.watches if (said := watch.failure())), None)

    def service_processes(self) -> Processes:
        """The service's container and when it started: the processes in it are out of reach."""
        try:
            service = read_containers(self.docker).get(SERVICE)
        except UsageError as error:
            raise PartFailed(str(error)) from None
        if service is None or service.status != "running":
            raise PartFailed("The service's container is gone.")
        return frozenset({(service.identity, service.started_at)})


@contextmanager
def compose_stack(
    containers: Containers,
    docker: Docker,
    variables: Variables,
    assumptions: Assumptions,
    folder: Path,
    ledger: str,
) -> Iterator[ComposeStack]:
    """Empty the boards, put the service into the run's mode, and watch both containers.

    Nothing is stopped at the end; what the containers logged meanwhile is left in `folder`.

    Raises:
        UsageError: Redis holds keys that are not ours, or something does not answer.
        PartFailed: the service did not become healthy in its mode.
    """
    began_at = datetime.now(UTC).isoformat()
    port = _published(containers[SERVICE], _SERVICE_PORT)
    service_url = f"http://{HOST}:{port}"
    redis_url = f"redis://{HOST}:{_published(containers[REDIS], _REDIS_PORT)}/0"
    former = ask_former(service_url)
    unlink_boards(redis_url, former.boards.union(board_keys(assumptions)))
    # the port stays where it is, whatever SERVICE_PORT says by now
    environment = compose_environment(variables, assumptions, {"SERVICE_PORT": port}, ledger)
    docker = replace(docker, environment=environment)
    containers = switch(containers, docker, former.mode, variables.mode)
    # Until it ended, the former service may have brought boards back from its own ledger.
    served = set(served_keys(variables.mode, assumptions))
    unlink(redis_url, former.boards.union(board_keys(assumptions)) - served)
    _tell_who_does_not_see(containers)
    with ExitStack() as running:
        used = [containers[service] for service in (REDIS, SERVICE)]
        watches = [running.enter_context(watched(container, docker)) for container in used]
        prometheus = containers.get("prometheus")
        if prometheus is not None and prometheus.is_up and variables.loadgen_port:
            running.enter_context(generator_target(prometheus, docker, variables.loadgen_port))
        for container in used:
            log = folder / f"{container.service}.log"
            running.callback(docker.save, log, "logs", "--since", began_at, container.identity)
        yield ComposeStack(redis_url, service_url, docker, tuple(watches))


def _published(container: Container, inside: int) -> int:
    try:
        return container.ports[inside]
    except KeyError:
        raise UsageError(
            f"{container.name} publishes no port for its {inside}: `make up` sets that right."
        ) from None


def _tell_who_does_not_see(containers: Containers) -> None:
    absent = [name for name in VIEWERS if name not in containers or not containers[name].is_up]
    if absent:
        print(f"Not up: {', '.join(absent)}. This run is not seen there; `make up` starts them.")
