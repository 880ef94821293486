"""A real Prometheus with a given configuration, for as long as somebody needs it."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mirakuru import HTTPExecutor

from dashboards.program_run import Check, never, program_run

HOST: Final = "127.0.0.1"


@contextmanager
def running(program: Path, config: str, directory: Path) -> Iterator[str]:
    """Start Prometheus on a free port, its files in a directory, and give its URL.

    Raises:
        ServerFailed: it did not start.
    """
    port = _free_port()
    with running_at(port, program, config, directory):
        yield f"http://{HOST}:{port}"


@contextmanager
def running_at(
    port: int,
    program: Path,
    config: str,
    directory: Path,
    options: Sequence[str] = (),
    *,
    check: Check = never,
) -> Iterator[HTTPExecutor]:
    """Start Prometheus on a given port, with more options, and give its process.

    Raises:
        ServerFailed: it did not start.
    """
    written = directory / "prometheus.yml"
    written.write_text(config, encoding="utf-8")
    command = [
        str(program),
        f"--config.file={written}",
        f"--storage.tsdb.path={directory / 'data'}",
        f"--web.listen-address={HOST}:{port}",
        "--log.level=warn",
        *options,
    ]
    ready = f"http://{HOST}:{port}/-/ready"
    log = directory / "prometheus.log"
    with program_run("Prometheus", command, ready, log, check=check) as process:
        yield process


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
