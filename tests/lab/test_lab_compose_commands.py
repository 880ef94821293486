"""`make up`, `make stop` and `make down`: what they do and what they say."""

import socket

import pytest
from pretend_docker import PretendDocker

from lab.cli.variables import Variables
from lab.errors import Interrupted, PartFailed, UsageError
from lab.stack.compose_commands import compose_command
from lab.stack.stack import Session
from workload.assumptions import Assumptions

Output = pytest.CaptureFixture[str]
BELONGINGS = [
    "  container hotboard-grafana-1",
    "  container hotboard-prometheus-1",
    "  container hotboard-redis-1",
    "  container hotboard-redis-exporter-1",
    "  container hotboard-target_service-1",
    "  network hotboard_default",
    "  volume hotboard_grafana-data",
    "  volume hotboard_prometheus-data",
]


# Where the stack of the pretended docker is up already.
UP = {
    "service_port": 18000,
    "redis_port": 16379,
    "prometheus_port": 19090,
    "grafana_port": 13000,
}


def run(command: str, session: Session, **variables: object) -> int:
    """Do what a make target does."""
    return compose_command(command, Variables(**variables), Assumptions(), session)  # type: ignore[arg-type]  # any of its fields


def test_up_builds_waits_for_health_and_prints_the_addresses(
    session: Session, docker: PretendDocker, capfd: Output
) -> None:
    """The addresses are those that the containers really publish."""
    assert 0 == run("up", session, mode="partitioned", **UP)

    assert ["compose", "up", "--build", "--detach", "--wait"] in docker.calls
    assert docker.world["settings"]["HOTBOARD_MODE"] == "partitioned"
    lines = capfd.readouterr().out.splitlines()
    assert lines[:5] == [
        "The compose stack is up, its service in partitioned mode:",
        "  grafana         http://127.0.0.1:13000",
        "  prometheus      http://127.0.0.1:19090/alerts",
        "  target_service  http://127.0.0.1:18000/docs",
        "  redis           redis://127.0.0.1:16379/0",
    ]


def test_up_that_fails_says_what_may_be_left(session: Session, docker: PretendDocker) -> None:
    """A container that never gets healthy leaves the stack half up, with two ways on."""
    docker.change(refuses=[["compose", "up"]])

    with pytest.raises(PartFailed) as caught:
        run("up", session, **UP)
    assert str(caught.value) == (
        "`docker compose up` failed; its words are above. The stack may be half up: `make up` "
        "tries again, `make down` removes it."
    )


def test_up_refuses_ports_of_others_before_anything_is_built(
    session: Session, docker: PretendDocker
) -> None:
    """Each is named with the variable that moves it; the stack's own are no hindrance."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        with pytest.raises(UsageError) as caught:
            run("up", session, **UP | {"service_port": taken, "grafana_port": taken})

    assert caught.value.problems == (
        f"SERVICE_PORT and GRAFANA_PORT are all {taken}: give each a port of its own.",
        f"Port {taken} is in use: choose another one with SERVICE_PORT=<port>.",
        f"Port {taken} is in use: choose another one with GRAFANA_PORT=<port>.",
    )
    assert not any(call[:2] == ["compose", "up"] for call in docker.calls)


def test_up_can_be_stopped(session: Session, docker: PretendDocker) -> None:
    """A signal ends docker too."""
    session.stop._note(15, None)

    with pytest.raises(Interrupted, match="SIGTERM"):
        run("up", session, **UP)
    assert docker.calls


def test_stop_keeps_everything_and_names_it(
    session: Session, docker: PretendDocker, capfd: Output
) -> None:
    """All containers are stopped, none is removed."""
    assert 0 == run("stop", session)

    assert {"exited"} == {one["State"]["Status"] for one in docker.world["containers"]}
    assert capfd.readouterr().out.splitlines() == [
        "Paused, and kept for the next `make up`:",
        *BELONGINGS[:5],
    ]


def test_down_names_every_target_before_it_goes(
    session: Session, docker: PretendDocker, capfd: Output
) -> None:
    """Containers, network and volumes, each on its line."""
    assert 0 == run("down", session)

    assert ["compose", "down", "--volumes", "--remove-orphans"] in docker.calls
    lines = capfd.readouterr().out.splitlines()
    assert BELONGINGS == lines[1:-1]
    assert lines[-1].startswith("Removed.")


def test_down_says_what_it_could_not_remove(session: Session, docker: PretendDocker) -> None:
    """A volume that somebody else uses stays, and is named."""
    docker.change(stubborn=["hotboard_grafana-data"])

    with pytest.raises(PartFailed) as caught:
        run("down", session)
    assert str(caught.value) == "Not removed:\n  volume hotboard_grafana-data"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("stop", "There is no compose stack to pause.\n"),
        ("down", "There is no compose stack to remove.\n"),
    ],
)
def test_nothing_there_is_no_error(
    command: str, sentence: str, session: Session, docker: PretendDocker, capfd: Output
) -> None:
    """It is said, and docker is not told to do anything."""
    docker.change(containers=[], networks=[], volumes=[])

    assert 0 == run(command, session)
    assert sentence == capfd.readouterr().out
    assert ["compose", command] not in [call[:2] for call in docker.calls]


@pytest.mark.parametrize("command", ["up", "stop", "down"])
def test_without_an_engine_each_says_so(
    command: str, session: Session, docker: PretendDocker
) -> None:
    """One sentence, whatever was asked for."""
    docker.change(engine=False)

    with pytest.raises(UsageError, match="The Docker engine cannot be reached; start Docker"):
        run(command, session)
