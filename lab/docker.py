"""The docker program: asked for facts and told what to do, with a sentence when it cannot."""

import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass

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
        try:
            done = subprocess.run(  # noqa: S603  words of ours
                [self.program, *words],
                cwd=self.session.checkout.root,
                env=dict(self.environment),
                capture_output=True,
                text=True,
                timeout=_ANSWER_SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise DockerUnavailable(
                f"docker did not answer within {_ANSWER_SECONDS:g} s: is its engine well?"
            ) from None
        if done.returncode:
            raise DockerUnavailable(f"`docker {words[0]}` failed: {_last_line(done.stderr)}")
        return done.stdout

    def do(self, *words: str, shown: bool) -> None:
        """Let docker do something that takes its time, with its progress on the terminal or not.

        Raises:
            PartFailed: it did not succeed; with docker's own last words unless they were shown.
            Interrupted: somebody asked to stop meanwhile.
        """
        process = subprocess.Popen(  # noqa: S603  words of ours
            [self.program, *words],
            cwd=self.session.checkout.root,
            env={**self.environment, TOKEN_VARIABLE: self.session.claim.token},
            stdin=subprocess.DEVNULL,
            stdout=None if shown else subprocess.DEVNULL,
            stderr=None if shown else subprocess.PIPE,
            text=True,
            # Ctrl-C is for the lab to hear, which then ends docker
            start_new_session=True,
        )
        try:
            said = self._wait(process)
        finally:
            _end(process)
        if process.returncode:
            words_said = "its words are above" if shown else _last_line(said)
            raise PartFailed(f"`docker {' '.join(words[:2])}` failed: {words_said}")

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
            "docker was not found: install Docker (https://docs.docker.com/get-started/get-docker/)"
            " or do without, `make serve` and `make load-naive` need none."
        )
    return Docker(program, environment, session)


def explain(docker: Docker, refused: DockerUnavailable) -> DockerUnavailable:
    """Why docker compose refused: no engine, no compose command, or what it said."""
    try:
        docker.ask("version", "--format", "{{.Server.Version}}")
    except DockerUnavailable as error:
        return DockerUnavailable(f"The Docker engine cannot be reached: start Docker. {error}")
    try:
        docker.ask("compose", "version")
    except DockerUnavailable:
        return DockerUnavailable(
            "docker has no `compose` command: install its compose plug-in, version 2.20 or newer."
        )
    return refused


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        end = time.monotonic() + _END_SECONDS
        while process.poll() is None and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
        process.kill()
        process.wait()
    if process.stderr is not None:
        process.stderr.close()


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing."
