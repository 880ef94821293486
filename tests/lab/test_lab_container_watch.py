"""A watched container that ends."""

import subprocess
import sys

import pytest
from pretend_docker import PretendDocker

from lab.stack.docker import find_docker, read_containers, watched
from lab.stack.stack import Session


@pytest.mark.usefixtures("docker")
def test_end_of_a_container_is_told_with_its_exit_code(
    session: Session, docker: PretendDocker
) -> None:
    """Nothing while it runs; once it has ended the same sentence as often as one asks."""
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        docker.set_process("redis", process.pid, exit_code=137)
        program = find_docker({"PATH": str(docker.folder)}, session)
        with watched(read_containers(program)["redis"], program) as watch:
            assert watch.failure() is None
            process.communicate()
            watch.waiting.wait(30)

            assert [watch.failure(), watch.failure()] == 2 * [
                "The container hotboard-redis-1 ended by itself (exit code 137)."
            ]


def test_watch_ends_with_its_block(session: Session, docker: PretendDocker) -> None:
    """No docker is left waiting for a container that goes on."""
    program = find_docker({"PATH": str(docker.folder)}, session)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        docker.set_process("redis", process.pid)
        with watched(read_containers(program)["redis"], program) as watch:
            pass
        process.communicate(b"\n")

    assert watch.waiting.returncode is not None
