"""Which stack a run loads: compose while it is up, an embedded one, or a foreign service."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from lab.cli.variables import Variables
from lab.errors import PartFailed, UsageError
from lab.http_json import NoAnswer, ask_json
from lab.stack.compose import compose_environment, compose_stack, published_ledger
from lab.stack.docker import (
    NEEDED,
    Containers,
    Docker,
    condition,
    find_docker,
    read_containers,
    standing,
)
from lab.stack.embedded import embedded_stack
from lab.stack.stack import Processes, Session, Stack
from workload.assumptions import Assumptions
from workload.operations import OPERATIONS
from workload.scenario import Scenario


@dataclass(frozen=True)
class ForeignStack:
    """A stack of which the lab knows the address of the service and no more."""

    service_url: str
    redis_url: str = ""

    def failure(self) -> str | None:
        """Nothing can be told; the generator sees when nobody answers."""
        return None

    def service_processes(self) -> Processes:
        """Out of reach."""
        raise PartFailed("The processes of a service that is not ours are out of reach.")


def unused_proxy(target: str) -> str | None:
    """A sentence when the shell names a proxy for TARGET, which nothing of a run goes through."""
    parts = urlsplit(target)
    proxy = getproxies().get(parts.scheme)
    if not proxy or proxy_bypass(parts.netloc):
        return None
    return (
        f"Load and questions go straight to {target}: {parts.scheme}_proxy is set, "
        "and no proxy is measured."
    )


def require_mode(target: str, mode: str) -> None:
    """Make sure that TARGET serves the mode the command names.

    Raises:
        UsageError: it does not answer `GET /v1/boards`, or serves another mode.
    """
    try:
        told = ask_json(f"{target}/v1/boards")
    except NoAnswer as error:
        raise UsageError(f"TARGET={target} does not answer GET /v1/boards: {error}.") from None
    served = told.get("mode") if isinstance(told, dict) else None
    if served != mode:
        raise UsageError(
            f"TARGET={target} serves mode {served!r}: use `make load-{served}`."
            if served in {"naive", "partitioned"}
            else f"TARGET={target} serves mode {served!r}, which is neither naive nor partitioned."
        )


@dataclass(frozen=True)
class ComposeUp:
    """A compose stack that is up, and the docker that says so."""

    docker: Docker
    containers: Containers


def find_compose_stack(
    variables: Variables, assumptions: Assumptions, session: Session
) -> ComposeUp | None:
    """The compose stack when it is to be loaded: as STACK says, else when it is up.

    Raises:
        UsageError: STACK=compose and there is none, or it is half up.
    """
    own = (variables.redis_url, variables.hotboard_redis_bin, variables.ledger_path)
    if variables.stack == "embedded" or any(own):
        return None
    try:
        docker = find_docker(compose_environment(variables, assumptions), session)
        containers = read_containers(docker)
    except UsageError:
        if variables.stack == "compose":
            raise
        # a machine without Docker, or whose Docker is of no use, is the usual case
        return None
    stands = standing(containers)
    if stands == "half up":
        raise UsageError(
            f"The compose stack is half up ({condition(containers, NEEDED)}): `make up` brings it "
            "up, `make down` removes it, STACK=embedded does without it."
        )
    if stands == "down" and variables.stack == "compose":
        raise UsageError("The compose stack is not up: run `make up` first, or leave out STACK.")
    return ComposeUp(docker, containers) if stands == "up" else None


def choose_ledger(variables: Variables, scenario: Scenario, compose: ComposeUp | None) -> Variables:
    """The variables of a load with the ledger it runs on, where the user named none.

    A load measures the ranking: HTTP, service and Redis. A compose stack keeps the ledger it was
    brought up with, and operations that need a ledger get one.

    Raises:
        UsageError: the service of the compose stack does not answer.
    """
    if variables.names_ledger or any(OPERATIONS[name].needs_ledger for name in scenario.rates()):
        return variables
    ledger = published_ledger(compose.containers) if compose else "none"
    return variables.model_copy(update={"ledger": ledger})


def running_stack(
    compose: ComposeUp | None,
    variables: Variables,
    assumptions: Assumptions,
    folder: Path,
    ledger: Path,
    session: Session,
) -> AbstractContextManager[Stack]:
    """The compose stack that was found, or an embedded one; its logs go to `folder`.

    `ledger` is the file of an embedded stack; a compose stack makes one of its name in a volume.
    """
    if compose is None:
        return embedded_stack(variables, assumptions, folder, ledger, session)
    return compose_stack(
        compose.containers, compose.docker, variables, assumptions, folder, ledger.name
    )
