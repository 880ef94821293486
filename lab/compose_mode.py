"""Puts the compose stack's service into a mode, and its Redis into the state of a fresh one."""

from dataclasses import dataclass

from lab.asking import NoAnswer, ask_json
from lab.compose_containers import SERVICE, Containers, read_containers
from lab.docker import Docker
from lab.errors import UsageError
from lab.redis_access import KnownServer, clear_boards
from workload.model import global_key


@dataclass(frozen=True)
class Former:
    """What the service was before this run: its mode, and the boards its last run may have left."""

    mode: str
    boards: frozenset[str]


def ask_former(service_url: str) -> Former:
    """Ask the service what it is now.

    Raises:
        UsageError: it does not answer.
    """
    try:
        told = ask_json(f"{service_url}/v1/boards")
        globals_ = map(global_key, told["seasons"])
        return Former(str(told["mode"]), frozenset({*told["partitions"], *told["keys"], *globals_}))
    except (NoAnswer, KeyError, TypeError) as error:
        raise UsageError(
            f"The compose stack's service does not answer at {service_url}: {error}."
        ) from None


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
