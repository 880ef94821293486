"""One run at a time in a checkout, and no process left over from a killed one."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import msgspec
import psutil
from filelock import FileLock, Timeout

from lab.errors import CannotWrite, UsageError
from lab.writing import make_folder, write_json


@dataclass(frozen=True)
class Checkout:
    """The folders of one checkout; tests use one of their own."""

    root: Path

    @property
    def state(self) -> Path:
        """The git-ignored folder for the lock of this checkout."""
        return self.root / ".hotboard"

    @property
    def runs(self) -> Path:
        """The parent of all run directories."""
        return self.root / "reports" / "runs"

    @property
    def scenarios(self) -> Path:
        """The folder of the scenario files."""
        return self.root / "locustfiles" / "scenarios"


HERE = Checkout(Path(__file__).resolve().parents[2])


TOKEN_VARIABLE = "HOTBOARD_CLAIM"  # noqa: S105  the name of a variable, no secret
_STOP_SECONDS = 5.0
# A process that was being started when its parent was killed shows no environment for a moment.
_LOOK_AGAIN_SECONDS = 0.2
# A missing or empty token would be carried by every process there is.
_Token = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}$")]


@dataclass(frozen=True)
class CheckoutLock:
    """Who uses the checkout; every process of the stack carries the token in its environment.

    `folder` is the inode of the folder that holds the lock: in a copy of the checkout it is
    another one, and the processes are not the copy's to end.
    """

    token: _Token
    folder: int
    pid: int
    command: str
    since: str


@contextmanager
def lock_checkout(state: Path, command: str) -> Iterator[CheckoutLock]:
    """Hold the checkout while the block runs, after ending what a killed run left behind.

    Raises:
        UsageError: another run holds it, or its folder cannot be written.
    """
    make_folder(state)
    file_lock = FileLock(state / "lock")
    path = state / "claim.json"
    try:
        held = file_lock.acquire(timeout=0)
    except Timeout:
        raise UsageError(_busy(path)) from None
    except OSError as error:
        raise CannotWrite(state / "lock", error) from error
    with held:
        _end_leftovers(path)
        lock = CheckoutLock(
            token=uuid.uuid4().hex,
            folder=state.stat().st_ino,
            pid=os.getpid(),
            command=command,
            since=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        write_json(path, asdict(lock))
        try:
            with _guarded(lock.token):
                yield lock
        finally:
            path.unlink(missing_ok=True)


def processes_of(token: str) -> list[psutil.Process]:
    """The live processes that carry the token of a lock."""
    return [
        process
        for process in psutil.process_iter(["environ"])
        if (process.info["environ"] or {}).get(TOKEN_VARIABLE) == token
    ]


def end_processes(token: str) -> int:
    """End the processes that carry the token of a lock; returns how many there were."""
    seen = processes_of(token)
    time.sleep(_LOOK_AGAIN_SECONDS)
    left = list({*seen, *processes_of(token)})
    for process in left:
        _signal(process, terminate=True)
    _, alive = psutil.wait_procs(left, timeout=_STOP_SECONDS)
    for process in alive:
        _signal(process, terminate=False)
    psutil.wait_procs(alive, timeout=_STOP_SECONDS)
    return len(left)


@contextmanager
def _guarded(token: str) -> Iterator[None]:
    """Run a guard that ends the processes with the token, should this one be killed."""
    command = [sys.executable, "-m", "lab.guard", token]
    # In a session of its own it outlives Ctrl-C, and what a terminal tells its group.
    with subprocess.Popen(  # noqa: S603  our own interpreter and package
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as guard:
        try:
            yield
        finally:
            guard.kill()


def _busy(path: Path) -> str:
    holder = _read(path)
    if holder is None:
        return "Another run is using this checkout: wait until it has ended."
    return (
        f"`{holder.command}` (pid {holder.pid}, since {holder.since}) is using this checkout: "
        "wait until it has ended, or stop it with Ctrl-C."
    )


def _end_leftovers(path: Path) -> None:
    """End what a run that was killed with its guard has left, known by its token."""
    holder = _read(path)
    if holder is None:
        return
    left = end_processes(holder.token)
    if left:
        print(f"Ended {left} processes left by `{holder.command}` (pid {holder.pid}).")
    path.unlink(missing_ok=True)


def _signal(process: psutil.Process, *, terminate: bool) -> None:
    try:
        if terminate:
            process.terminate()
            process.resume()  # a stopped process would not see the signal
        else:
            process.kill()
    except psutil.NoSuchProcess:
        return


def _read(path: Path) -> CheckoutLock | None:
    try:
        lock = msgspec.json.decode(path.read_bytes(), type=CheckoutLock)
        return lock if lock.folder == path.parent.stat().st_ino else None
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
