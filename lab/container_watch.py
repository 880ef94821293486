"""A container that is watched from outside, without asking again and again."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lab.compose_containers import Container
from lab.docker import Docker

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
