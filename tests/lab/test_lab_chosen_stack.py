"""Which stack a run loads, and the sentences when the one asked for cannot be loaded."""

from pathlib import Path

import pytest
from pretend_docker import PretendDocker

from lab.cli.variables import Variables
from lab.errors import DockerUnavailable, UsageError
from lab.stack import docker as docker_module
from lab.stack.checkout_lock import HERE
from lab.stack.chosen import choose_ledger, find_compose_stack
from lab.stack.stack import Session
from workload.assumptions import Assumptions
from workload.scenario import load_scenario

ASSUMED = Assumptions()
ASKED_FOR = Variables(stack="compose")


def refusal(variables: Variables, session: Session) -> str:
    """Give the sentence with which the stack is refused."""
    with pytest.raises(UsageError) as caught:
        find_compose_stack(variables, ASSUMED, session)
    return str(caught.value)


@pytest.mark.parametrize("variables", [Variables(), ASKED_FOR])
def test_compose_stack_that_is_up_is_loaded(
    variables: Variables, session: Session, docker: PretendDocker
) -> None:
    """Whether asked for or not; its ports are those it publishes."""
    found = find_compose_stack(variables, ASSUMED, session)

    assert docker.calls
    assert found is not None
    assert found.containers["target_service"].ports == {8000: 18000}
    assert found.containers["redis"].ports == {6379: 16379}


@pytest.mark.parametrize(
    "variables",
    [
        Variables(stack="embedded"),
        Variables(redis_url="redis://127.0.0.1:6379/1"),
        Variables(hotboard_redis_bin=Path("/usr/bin/redis-server")),
    ],
)
def test_docker_is_not_asked_when_the_embedded_stack_is_meant(
    variables: Variables, session: Session, docker: PretendDocker
) -> None:
    """STACK=embedded and a Redis of the user's own decide by themselves."""
    assert find_compose_stack(variables, ASSUMED, session) is None
    assert docker.calls == []


@pytest.mark.usefixtures("docker")
@pytest.mark.parametrize("how", ["never up", "paused"])
def test_stack_that_is_down_is_not_loaded(
    how: str, session: Session, docker: PretendDocker
) -> None:
    """Left to itself the lab takes the embedded one; asked for, it says what to do first."""
    if how == "never up":
        docker.change(containers=[])
    for service in ("redis", "target_service") if how == "paused" else ():
        docker.set_state(service, "exited")

    assert find_compose_stack(Variables(), ASSUMED, session) is None
    assert refusal(ASKED_FOR, session) == (
        "The compose stack is not up: run `make up` first, or leave out STACK."
    )


@pytest.mark.parametrize("variables", [Variables(), ASKED_FOR])
@pytest.mark.parametrize(
    ("status", "health", "words"),
    [
        ("exited", None, "target_service is exited"),
        ("running", "unhealthy", "target_service is running and unhealthy"),
        ("running", "starting", "target_service is running and starting"),
    ],
)
def test_half_a_stack_is_refused(
    variables: Variables,
    status: str,
    health: str | None,
    words: str,
    session: Session,
    docker: PretendDocker,
) -> None:
    """Neither stack is taken in silence: the sentence says what is up and what to do."""
    docker.set_state("target_service", status, health)

    assert refusal(variables, session) == (
        f"The compose stack is half up (redis is running and healthy; {words}): `make up` brings "
        "it up, `make down` removes it, STACK=embedded does without it."
    )


def test_service_without_its_redis_is_half_a_stack(session: Session, docker: PretendDocker) -> None:
    """A container that is gone is told so."""
    containers = [one for one in docker.world["containers"] if one["Name"] != "/hotboard-redis-1"]
    docker.change(containers=containers)

    assert "(redis is not there; target_service is running and healthy)" in (
        refusal(Variables(), session)
    )


@pytest.mark.parametrize(
    ("world", "sentence"),
    [
        ({"engine": False}, "The Docker engine cannot be reached; start Docker. `docker version` "),
        ({"plugin": False}, "docker has no `compose` command: install its compose plug-in"),
        ({"refuses": [["compose", "ps"]]}, "`docker compose ps` failed: that went wrong"),
    ],
)
def test_docker_of_no_use_matters_only_when_asked_for(
    world: dict[str, object], sentence: str, session: Session, docker: PretendDocker
) -> None:
    """A machine whose Docker does not run loads the embedded stack without a word."""
    docker.change(**world)

    assert find_compose_stack(Variables(), ASSUMED, session) is None
    assert refusal(ASKED_FOR, session).startswith(sentence)


def test_no_docker_matters_only_when_asked_for(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual machine has none."""
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_compose_stack(Variables(), ASSUMED, session) is None
    assert refusal(ASKED_FOR, session).startswith("docker was not found: install Docker ")


def test_docker_that_never_answers_is_given_up(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hanging engine does not hang the run."""
    (tmp_path / "docker").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(docker_module, "_ANSWER_SECONDS", 0.2)

    with pytest.raises(DockerUnavailable, match=r"did not answer within 0\.2 s"):
        find_compose_stack(ASKED_FOR, ASSUMED, session)


def test_stack_of_another_checkout_is_left_alone(
    session: Session, docker: PretendDocker, tmp_path: Path
) -> None:
    """It runs other code: left to itself the lab ignores it, asked for it says whose it is."""
    containers = docker.world["containers"]
    for one in containers:
        one["Config"]["Labels"]["com.docker.compose.project.working_dir"] = str(tmp_path / "other")
    docker.change(containers=containers)

    assert find_compose_stack(Variables(), ASSUMED, session) is None
    assert refusal(ASKED_FOR, session) == (
        f"The compose stack on this machine was brought up from {tmp_path / 'other'}: use it "
        "there, or `make down` there first."
    )


@pytest.mark.parametrize(
    ("scenario", "overrides", "named", "ledger"),
    [
        ("peak", (), {}, "none"),
        ("peak", (), {"ledger": "sqlite"}, "sqlite"),
        ("peak", (), {"ledger": "none"}, "none"),
        ("peak", (), {"ledger_sync": "normal"}, "sqlite"),
        ("peak", (), {"ledger_path": "ledger.db"}, "sqlite"),
        ("peak", ("rank_bounded=100",), {}, "sqlite"),
        ("odometer", (), {}, "sqlite"),
        ("achievements", (), {}, "sqlite"),
    ],
)
def test_a_load_has_no_ledger_unless_one_is_wanted(
    scenario: str, overrides: tuple[str, ...], named: dict[str, str], ledger: str
) -> None:
    """A variable that is about it wants one, and so does an operation that needs it."""
    loaded = load_scenario(HERE.scenarios / f"{scenario}.toml", overrides)

    assert ledger == choose_ledger(Variables.model_validate(named), loaded, None).ledger
