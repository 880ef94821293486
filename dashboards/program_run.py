"""A program that answers over HTTP, run for as long as somebody needs it and always ended."""

import atexit
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from mirakuru import HTTPExecutor
from mirakuru.base import cleanup_subprocesses
from mirakuru.exceptions import (
    ExecutorError,
    ProcessExitedWithError,
    ProcessFinishedWithError,
    TimeoutExpired,
)

# it kills whoever has the number of this process among the digits of its mark: somebody else's
atexit.unregister(cleanup_subprocesses)

Check = Callable[[], None]
# the first start of Grafana makes its database
START_SECONDS: Final = 60.0
_LAST_LINES: Final = 5


class ServerFailed(RuntimeError):
    """A program ended or was not ready in time; the message ends as its log does."""


def never() -> None:
    """Let a start go on, whatever happens."""


class _Server(HTTPExecutor):
    """Asks, while it waits to be ready, whether anybody wants it any more."""

    check: Check

    def after_start_check(self) -> bool:
        """Tell whether the page answers."""
        self.check()
        return super().after_start_check()


@contextmanager
def program_run(
    name: str,
    command: Sequence[str],
    ready_url: str,
    log: Path,
    environment: Mapping[str, str] | None = None,
    check: Check = never,
) -> Iterator[HTTPExecutor]:
    """Start a program in a session of its own, wait until it is ready, end it with the block.

    `check` is called while it starts; what it raises ends the program and reaches the caller.

    Raises:
        ServerFailed: it did not start.
    """
    with log.open("wb") as output:
        server = _Server(
            list(command),
            url=ready_url,
            method="GET",
            timeout=START_SECONDS,
            envvars=dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        server.check = check
        try:
            _start(name, server, log)
            yield server
        finally:
            with suppress(ProcessFinishedWithError):
                server.stop()


def _start(name: str, server: HTTPExecutor, log: Path) -> None:
    try:
        server.start()
    except (ExecutorError, OSError) as error:
        match error:
            case ProcessExitedWithError():
                reason = f"it ended with code {error.exit_code}"
            case TimeoutExpired():
                reason = f"it was not ready after {START_SECONDS:g} s"
            case _:
                reason = str(error)
        last = "\n".join(log.read_text(encoding="utf-8").splitlines()[-_LAST_LINES:])
        raise ServerFailed(f"{name} did not start: {reason}.\n{last}") from error
