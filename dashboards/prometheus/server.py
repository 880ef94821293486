"""A real Prometheus with a given configuration, for as long as somebody needs it."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from mirakuru import HTTPExecutor
from mirakuru.exceptions import ExecutorError

HOST: Final = "127.0.0.1"
START_SECONDS: Final = 20.0


class PrometheusFailed(RuntimeError):
    """Prometheus ended or was not ready in time; the message ends as its log does."""


@contextmanager
def running(program: Path, config: str, directory: Path) -> Iterator[str]:
    """Start Prometheus on a free port, its files in a directory, and give its URL.

    Raises:
        PrometheusFailed: it did not start.
    """
    written = directory / "prometheus.yml"
    written.write_text(config, encoding="utf-8")
    log = directory / "prometheus.log"
    address = f"{HOST}:{_free_port()}"
    command = [
        str(program),
        f"--config.file={written}",
        f"--storage.tsdb.path={directory / 'data'}",
        f"--web.listen-address={address}",
        "--log.level=warn",
    ]
    with log.open("wb") as output:
        server = HTTPExecutor(
            command,
            url=f"http://{address}/-/ready",
            method="GET",
            timeout=START_SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            server.start()
        except ExecutorError as error:
            server.stop()
            last = "\n".join(log.read_text(encoding="utf-8").splitlines()[-5:])
            raise PrometheusFailed(f"Prometheus did not start: {error}\n{last}") from error
        try:
            yield f"http://{address}"
        finally:
            server.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
