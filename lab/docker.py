"""The docker program: asked for facts and told what to do, with a sentence when it cannot."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.claim import TOKEN_VARIABLE
from lab.errors import DockerUnavailable, PartFailed
from lab.session import Session

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
            env={**self.environment, TOKEN_VARIABLE: self.session.claim.token},
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
