"""Which stack a run loads: the compose stack while it is up, else the embedded one."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from lab.compose_containers import NEEDED, Containers, condition, read_containers, standing
from lab.compose_environment import compose_environment
from lab.compose_stack import compose_stack
from lab.docker import Docker, find_docker
from lab.embedded_stack import embedded_stack
from lab.errors import UsageError
from lab.session import Session
from lab.stack import Stack
from lab.variables import Variables
from workload.assumptions import Assumptions


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
