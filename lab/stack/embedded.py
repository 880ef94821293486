"""The stack on this machine: a Redis server and the service, up until the block ends."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil
import redis

from lab.addresses import without_password
from lab.cli.variables import Variables
from lab.errors import PartFailed
from lab.http_json import NoAnswer, fetch
from lab.stack.ports import HOST, require_free
from lab.stack.process import Part
from lab.stack.redis import KnownServer, clear_boards, connect, embedded_redis, find_server
from lab.stack.service_settings import board_keys, service_settings
from lab.stack.stack import Processes, Session
from workload.assumptions import Assumptions

_READY_SECONDS = 1.0
_OK = 200
_REDIS = "The Redis server"


@dataclass(frozen=True)
class EmbeddedStack:
    """The addresses and the processes of a stack that the lab started.

    The service is the last part; before it stands the Redis server, unless REDIS_URL named one.
    """

    redis_url: str
    service_url: str
    parts: tuple[Part, ...]

    @property
    def service(self) -> Part:
        """The service's process."""
        return self.parts[-1]

    @property
    def service_pid(self) -> int:
        """The pid of the service's main process, which serves alone with one worker."""
        process = self.service.process
        if process is None:
            raise PartFailed("The service was not started.")
        return process.pid

    @property
    def redis(self) -> Part | None:
        """The Redis server's process; None when the server is not ours."""
        return self.parts[0] if len(self.parts) > 1 else None

    def failure(self) -> str | None:
        """A sentence about a part that died, or None."""
        return next(filter(None, (part.failure() for part in self.parts)), None)

    def shut_down_redis(self) -> Part:
        """Stop the Redis server with its data saved; begun again, it has what it had.

        Raises:
            PartFailed: it is not the lab's own, or it would not stop.
        """
        if len(self.parts) == 1:
            raise PartFailed("The Redis server is not the lab's own, and is not shut down.")
        try:
            with connect(self.redis_url) as client:
                client.shutdown(save=True)
        except redis.RedisError as error:
            raise PartFailed(f"The Redis server was not shut down: {error}.") from error
        server = self.parts[0]
        server.end()
        return server

    def service_processes(self) -> Processes:
        """The service's main process and its children, told apart from later ones of their pid."""
        pid = self.service_pid
        try:
            head = psutil.Process(pid)
            return frozenset(
                (one.pid, one.create_time()) for one in (head, *head.children(recursive=True))
            )
        except psutil.NoSuchProcess as error:
            raise PartFailed(f"The service (pid {pid}) is gone.") from error


@contextmanager
def embedded_stack(
    variables: Variables,
    assumptions: Assumptions,
    folder: Path,
    ledger: Path,
    session: Session,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[EmbeddedStack]:
    """Start Redis (unless REDIS_URL names one) and the service; stop both at the end.

    The logs go to `folder`; the service keeps its ledger, if it has one, in the file `ledger`.
    `settings` are told to the service beside those that follow from the variables.

    Raises:
        UsageError: a port is taken, no server binary, a foreign database.
        PartFailed: a part did not become ready.
    """
    require_free(variables.service_port, "SERVICE_PORT")
    with ExitStack() as running:
        parts = []
        if variables.redis_url:
            redis_url = variables.redis_url
            clear_boards(_named_by_user(redis_url), board_keys(assumptions))
        else:
            chosen = variables.hotboard_redis_bin
            name = f"The Redis server (HOTBOARD_REDIS_BIN={chosen})" if chosen else _REDIS
            server, redis_url = embedded_redis(name, find_server(chosen), folder, session)
            parts.append(_begin(server, running))
        service = _service(
            variables,
            {
                **service_settings(variables, assumptions),
                **settings,
                "HOTBOARD_REDIS_URL": redis_url,
                "HOTBOARD_LEDGER_PATH": str(ledger),
            },
            folder,
            session,
        )
        parts.append(_begin(service, running))
        url = f"http://{HOST}:{variables.service_port}"
        yield EmbeddedStack(redis_url, url, tuple(parts))


def _named_by_user(url: str) -> KnownServer:
    return KnownServer(
        url, f"REDIS_URL={without_password(url)}", "choose an empty database, such as /1"
    )


def _begin(part: Part, running: ExitStack) -> Part:
    running.callback(part.end)
    part.begin()
    return part


def _service(
    variables: Variables, settings: dict[str, str], folder: Path, session: Session
) -> Part:
    environment = {
        **settings,
        "HOTBOARD_HOST": HOST,
        "HOTBOARD_PORT": str(variables.service_port),
    }
    if variables.service_workers > 1:
        # Without a shared folder each scrape would see one worker's counters only.
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(folder / "metrics")
    return Part(
        "The service",
        [sys.executable, "-m", "target_service"],
        session,
        log=folder / "service.log",
        environment=environment,
        ready=lambda: _is_ready(variables.service_port),
    )


def _is_ready(port: int) -> bool:
    try:
        return fetch(f"http://{HOST}:{port}/readyz", seconds=_READY_SECONDS).status == _OK
    except NoAnswer:
        return False
