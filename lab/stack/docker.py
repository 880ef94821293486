"""Docker, asked through its own command line, and the containers of the compose stack."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lab.errors import DockerUnavailable, PartFailed, UsageError
from lab.stack.checkout_lock import TOKEN_VARIABLE
from lab.stack.stack import Session

_ANSWER_SECONDS = 10.0
_POLL_SECONDS = 0.1
_END_SECONDS = 10.0


@dataclass(frozen=True)
class Docker:
    """One docker program, run in this checkout with the environment that compose.yaml reads."""

    program: str
    environment: Mapping[str, str]
    session: Session

    def ask(self, *words: str) -> str:
        """What docker prints to a question.

        Raises:
            DockerUnavailable: no answer, or a refusal; the sentence holds docker's own words.
        """
        with self.started(*words, output=subprocess.PIPE, errors=subprocess.PIPE) as process:
            try:
                answer, said = process.communicate(timeout=_ANSWER_SECONDS)
            except subprocess.TimeoutExpired:
                raise DockerUnavailable(
                    f"docker did not answer within {_ANSWER_SECONDS:g} s: is its engine well?"
                ) from None
        if process.returncode:
            raise DockerUnavailable(f"`docker {_named(words)}` failed: {_last_line(said)}")
        return answer

    def show(self, *words: str) -> None:
        """Let docker do something that takes its time, with its progress on the terminal.

        Raises:
            PartFailed: it did not succeed.
            Interrupted: somebody asked to stop meanwhile.
        """
        with self.started(*words) as process:
            self._wait(process)
        if process.returncode:
            raise PartFailed(f"`docker {_named(words)}` failed; its words are above.")

    def do(self, *words: str) -> None:
        """Let docker do something that takes its time, without a word when all goes well.

        Raises:
            PartFailed: it did not succeed; with docker's last words.
            Interrupted: somebody asked to stop meanwhile.
        """
        nothing = subprocess.DEVNULL
        with self.started(*words, output=nothing, errors=subprocess.PIPE) as process:
            said = self._wait(process)
        if process.returncode:
            raise PartFailed(f"`docker {_named(words)}` failed: {_last_line(said)}")

    def tell(self, text: str, *words: str, patience_seconds: float) -> str:
        """What a program in a container prints after it was told some text.

        Raises:
            PartFailed: it failed, with its last words, or took too long.
        """
        pipe = subprocess.PIPE
        with self.started(*words, told=pipe, output=pipe, errors=pipe) as process:
            try:
                answer, said = process.communicate(text, timeout=patience_seconds)
            except subprocess.TimeoutExpired:
                raise PartFailed(
                    f"`docker {_named(words)}` took longer than {patience_seconds:g} s."
                ) from None
        if process.returncode:
            raise PartFailed(f"`docker {_named(words)}` failed: {_last_line(said)}")
        return answer

    def save(self, path: Path, *words: str) -> None:
        """Write what docker prints into a file, whatever it is."""
        with (
            path.open("wb") as output,
            self.started(*words, output=output.fileno(), errors=subprocess.STDOUT) as process,
        ):
            try:
                process.wait(_ANSWER_SECONDS)
            except subprocess.TimeoutExpired:
                return

    @contextmanager
    def started(
        self,
        *words: str,
        told: int = subprocess.DEVNULL,
        output: int | None = None,
        errors: int | None = None,
    ) -> Iterator[subprocess.Popen[str]]:
        """A docker that runs beside the block and has ended after it."""
        with subprocess.Popen(  # noqa: S603  words of ours
            [self.program, *words],
            cwd=self.session.checkout.root,
            env={**self.environment, TOKEN_VARIABLE: self.session.lock.token},
            stdin=told,
            stdout=output,
            stderr=errors,
            text=True,
            # Ctrl-C is for the lab to hear, which then ends docker
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                _end(process)

    def _wait(self, process: subprocess.Popen[str]) -> str:
        while True:
            self.session.stop.check()
            try:
                _, said = process.communicate(timeout=_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            return said or ""


def find_docker(environment: Mapping[str, str], session: Session) -> Docker:
    """The docker on PATH.

    Raises:
        DockerUnavailable: there is none.
    """
    program = shutil.which("docker")
    if program is None:
        raise DockerUnavailable(
            "docker was not found: install Docker with its compose plug-in, or do without it: "
            "`make load-naive` and `make serve` bring a stack of their own."
        )
    return Docker(program, environment, session)


def explain(docker: Docker, refused: DockerUnavailable) -> DockerUnavailable:
    """Why docker compose refused: no engine, no compose command, or what it said."""
    try:
        docker.ask("version", "--format", "{{.Server.Version}}")
    except DockerUnavailable as error:
        return DockerUnavailable(f"The Docker engine cannot be reached; start Docker. {error}")
    try:
        docker.ask("compose", "version")
    except DockerUnavailable:
        return DockerUnavailable(
            "docker has no `compose` command: install its compose plug-in, version 2.20 or newer."
        )
    return refused


def _end(process: subprocess.Popen[str]) -> None:
    """End docker, the hard way when it takes too long."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _named(words: tuple[str, ...]) -> str:
    """The command without its options, for sentences."""
    plain = [word for word in words if word not in {"--profile", "load"}]
    return " ".join(plain[:2] if plain[0] == "compose" else plain[:1])


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing."


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


_LONGEST_CODE = 20


@dataclass(frozen=True)
class ContainerWatch:
    """`docker wait` on one container: it ends when the container does, and says its exit code."""

    name: str
    waiting: subprocess.Popen[str]
    said: int

    def failure(self) -> str | None:
        """A sentence once the container has ended."""
        if self.waiting.poll() is None:
            return None
        code = os.pread(self.said, _LONGEST_CODE, 0).decode().strip() or "unknown"
        return f"The container {self.name} ended by itself (exit code {code})."


@contextmanager
def watched(container: Container, docker: Docker) -> Iterator[ContainerWatch]:
    """Watch a container until the block ends."""
    with (
        tempfile.TemporaryFile() as said,
        docker.started("wait", container.identity, output=said.fileno()) as waiting,
    ):
        yield ContainerWatch(container.name, waiting, said.fileno())
