"""The compose stack as a run loads it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from lab.cli.variables import Variables
from lab.errors import PartFailed, UsageError
from lab.generator import generator_target
from lab.http_json import NoAnswer, ask_json
from lab.stack.docker import (
    REDIS,
    SERVICE,
    VIEWERS,
    Container,
    Containers,
    ContainerWatch,
    Docker,
    read_containers,
    watched,
)
from lab.stack.ports import HOST
from lab.stack.redis import KnownServer, clear_boards, unlink
from lab.stack.service_settings import board_keys, served_keys, service_settings
from lab.stack.stack import Processes
from workload.assumptions import Assumptions
from workload.model import global_key

# Inside the container; on tmpfs, as the files are written at every request.
_METRICS_FOLDER = "/tmp/metrics"  # noqa: S108  the container has it to itself
_LEDGERS_FOLDER = "/ledgers"
_MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
# What no variable of make decides is taken from the shell, as an embedded service would.
HANDED_ON = frozenset(
    f"HOTBOARD_{name}"
    for name in (
        "REDIS_TIMEOUT_SECONDS",
        "TOP_INTERVAL_SECONDS",
        "EVENTS_PATH",
        "ALLOWED_HOSTS",
        "ACHIEVEMENTS_ZONE",
        "ACHIEVEMENTS_RECONCILE_AT",
        "ACHIEVEMENTS_SWEEP_AT",
    )
)


def compose_environment(
    variables: Variables,
    assumptions: Assumptions,
    ports: Mapping[str, int] | None = None,
    ledger: str = "ledger.db",
) -> dict[str, str]:
    """The present environment with the service's settings, which no stray of the shell replaces.

    `ledger` names the file in the ledgers' volume; a run has one of its own.
    `ports` are those of containers that are up already: a run must not move them.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in HANDED_ON or not (name.startswith("HOTBOARD_") or name == _MULTIPROCESS)
    }
    chosen = {
        "SERVICE_PORT": variables.service_port,
        "REDIS_PORT": variables.redis_port,
        "PROMETHEUS_PORT": variables.prometheus_port,
        "GRAFANA_PORT": variables.grafana_port,
        **(ports or {}),
    }
    settings = service_settings(variables, assumptions)
    if variables.ledger != "none":
        settings["HOTBOARD_LEDGER_PATH"] = f"{_LEDGERS_FOLDER}/{ledger}"
    if variables.service_workers > 1:
        settings[_MULTIPROCESS] = _METRICS_FOLDER
    return kept | settings | {name: str(port) for name, port in chosen.items()}


@dataclass(frozen=True)
class Former:
    """What the service was before this run: its mode, its ledger, and the boards it may have left.

    Its ledger is "none" or the kind of the one that it keeps.
    """

    mode: str
    ledger: str
    boards: frozenset[str]


def ask_former(service_url: str) -> Former:
    """Ask the service what it is now.

    Raises:
        UsageError: it does not answer.
    """
    try:
        told = ask_json(f"{service_url}/v1/boards")
        globals_ = map(global_key, told["seasons"])
        boards = frozenset({*told["partitions"], *told["keys"], *globals_})
        return Former(str(told["mode"]), str(told["ledger"]), boards)
    except (NoAnswer, KeyError, TypeError) as error:
        raise UsageError(
            f"The compose stack's service does not answer at {service_url}: {error}."
        ) from None


def published_ledger(containers: Containers) -> str:
    """The ledger of the service that is up: "none" or its kind.

    Raises:
        UsageError: it does not answer, or publishes no port.
    """
    port = _published(containers[SERVICE], _SERVICE_PORT)
    return ask_former(f"http://{HOST}:{port}").ledger


def unlink_boards(redis_url: str, boards: frozenset[str]) -> None:
    """Unlink boards by name, nothing else.

    Raises:
        UsageError: Redis does not answer, or holds keys that are not ours.
    """
    name = f"The compose stack's Redis at {redis_url}"
    way_out = "unlink them, or begin anew with `make down` and `make up`"
    clear_boards(KnownServer(redis_url, name, way_out), boards)


def switch(containers: Containers, docker: Docker, former: str, mode: str) -> Containers:
    """Give the service the settings of this run; compose itself knows whether they differ.

    Returns the containers as they are then.

    Raises:
        PartFailed: the service did not become healthy.
    """
    words = ("compose", "up", "--detach", "--wait", "--no-deps", "--no-build", SERVICE)
    docker.do(*words)
    after = read_containers(docker)
    if former != mode:
        print(f"The compose stack's service was switched from {former} to {mode}.")
    elif containers[SERVICE].started_at != after[SERVICE].started_at:
        print("The compose stack's service was started again with the settings of this run.")
    return after


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
