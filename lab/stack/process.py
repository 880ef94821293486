"""One process of the stack: started in a session of its own, watched, and always stopped."""

import atexit
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mirakuru import Executor
from mirakuru.base import cleanup_subprocesses
from mirakuru.exceptions import (
    ProcessExitedWithError,
    ProcessFinishedWithError,
    TimeoutExpired,
)

from lab.addresses import shown
from lab.errors import PartFailed, UsageError
from lab.stack.checkout_lock import TOKEN_VARIABLE
from lab.stack.stack import Session

# At the end of any process that has imported it, mirakuru kills whoever has that process's number
# among the digits of its mark: in the long run somebody else's. What was begun here ends here.
atexit.unregister(cleanup_subprocesses)

START_SECONDS = 30.0
STOP_SECONDS = 10.0
_LOG_LINES = 15
# What a service of ours ends with when its settings are wrong.
_USAGE = 2


class Part(Executor):
    """A process with a name, a log and a way to tell that it is ready.

    mirakuru gives it a session of its own (so that Ctrl-C reaches the lab alone), stops the
    whole process group, and marks its children so that none escapes. After its end it can begin
    again, and its log goes on.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        session: Session,
        *,
        log: Path | None,
        environment: Mapping[str, str] | None = None,
        ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self.name = name
        self.log = log
        self._output: IO[bytes] | None = None
        self._session = session
        self._ready = ready
        self._is_knocked_out = False
        super().__init__(
            list(command),
            cwd=str(session.checkout.root),
            envvars={**(environment or {}), TOKEN_VARIABLE: session.lock.token},
            timeout=START_SECONDS,
            sleep=0.05,
            stdin=subprocess.DEVNULL,
            stdout=None,
        )

    def pre_start_check(self) -> bool:
        """Ports are checked before, with a sentence that names the variable."""
        return False

    def after_start_check(self) -> bool:
        """Tell whether the part is ready; give up early when somebody asked to stop."""
        self._session.stop.check()
        if not self.running():
            raise ProcessExitedWithError(self, 0)
        return self._ready()

    def begin(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            UsageError: it refuses what it was told, with its sentences.
            PartFailed: it ended, or was not ready in time; with the end of its log.
            Interrupted: somebody asked to stop meanwhile.
        """
        self._timeout = START_SECONDS
        if self.log is not None:
            self._open(self.log)
        try:
            self.start()
        except ProcessExitedWithError as error:
            if error.exit_code == _USAGE:
                raise UsageError(f"{self.name} refuses its settings.", *self._told()) from error
            raise PartFailed(f"{self.name} ended at its start. {self._last_lines()}") from error
        except TimeoutExpired as error:
            raise PartFailed(
                f"{self.name} was not ready after {START_SECONDS:g} s. {self._last_lines()}"
            ) from error
        except OSError as error:
            raise PartFailed(f"{self.name} cannot be started: {error}") from error
        self._is_knocked_out = False

    def failure(self) -> str | None:
        """A sentence when the process ended by itself, or None."""
        process = self.process
        code = process.poll() if process else None
        if code is None or self._is_knocked_out:
            return None
        return f"{self.name} ended by itself (exit code {code}, see {self.log})."

    def knock_out(self) -> None:
        """Kill the process and its children with SIGKILL: no failure until it begins again."""
        self._is_knocked_out = True
        self.kill()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process and its children."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def end(self) -> None:
        """Stop the process, the hard way when it takes too long; a frozen one is thawed for it."""
        self._timeout = STOP_SECONDS
        self.send(signal.SIGCONT)  # a process that stands still would not see the next one
        try:
            self.stop()
        except ProcessFinishedWithError as error:
            print(f"{self.name} ended with code {error.exit_code}.", file=sys.stderr)
        finally:
            self._close()

    def _close(self) -> None:
        if self._output is not None:
            self._output.close()

    def _open(self, log: Path) -> None:
        self._close()
        log.parent.mkdir(parents=True, exist_ok=True)
        self._output = self._stdout = self._stderr = log.open("ab")

    def _last_lines(self) -> str:
        if self.log is None:
            return "Its messages are above."
        lines = self._told()
        if not lines:
            return "It wrote nothing."
        return shown("\n".join([f"The end of {self.log}:", *lines]))

    def _told(self) -> list[str]:
        if self.log is None:
            return []
        text = self.log.read_text(encoding="utf-8", errors="replace")
        return text.splitlines()[-_LOG_LINES:]


@dataclass(frozen=True)
class MissingWorker:
    """The master would wait for such a worker in vain.

    One that ends later is the master's to miss, which by then keeps the run's record.
    """

    workers: Sequence[Part]
    record: Path

    def failure(self) -> str | None:
        """A sentence about the worker, or None."""
        if self.record.exists():
            return None
        return next(filter(None, (worker.failure() for worker in self.workers)), None)
