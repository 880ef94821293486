"""`python -m target_service`: read the settings, bind the port, serve until told to stop."""

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

import uvicorn
from uvicorn.supervisors import Multiprocess

from target_service import open_files
from target_service.http.bounded_requests import BoundedRequests
from target_service.ledger.errors import LedgerError
from target_service.ledger.store import Store
from target_service.odometer.event_file import EventsRefused, put_events, read_event_file
from target_service.settings import (
    MULTIPROCESS_VARIABLE,
    PREFIX,
    InvalidSettings,
    Settings,
    read_settings,
)

USAGE = 2
KEEP_ALIVE_SECONDS = 75
SHUTDOWN_SECONDS = 3


def main() -> int:
    """Serve, and return the exit code."""
    open_files.raise_limit()
    try:
        settings = read_settings()
        listener = _listen(settings)
        _prepare_shared_counts(listener.getsockname()[1])
        _check_ledger(settings)
    except InvalidSettings as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)  # noqa: T201  (the command line's answer)
        return USAGE
    config = uvicorn.Config(
        "target_service.app:app_from_environment",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        loop="uvloop",
        http=BoundedRequests,
        ws="none",
        lifespan="on",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    server = uvicorn.Server(config)
    # Ctrl-C is the usual way to end a service started by hand, and no defect.
    with suppress(KeyboardInterrupt):
        if settings.workers > 1:
            Multiprocess(config, sockets=[listener]).run()
            return 0
        server.run(sockets=[listener])
    return 0 if server.started else 1


def _check_ledger(settings: Settings) -> None:
    """Make the ledger's file, or refuse to start on one that cannot be used."""
    if settings.ledger == "none":
        return
    store = Store(settings.ledger_path, settings.ledger_sync)
    try:
        store.prepare()
        _put_events(settings, store)
    except LedgerError as error:
        raise InvalidSettings((f"{PREFIX}LEDGER_PATH: {error}",)) from error
    finally:
        store.process_lock.close()


def _put_events(settings: Settings, store: Store) -> None:
    """Put the events of the file, if there is one, before anybody can ask for them."""
    if settings.events_path is None:
        return
    try:
        put_events(store, read_event_file(settings.events_path))
    except EventsRefused as error:
        told = tuple(f"{PREFIX}EVENTS_PATH: {sentence}" for sentence in error.sentences)
        raise InvalidSettings(told) from error


def _listen(settings: Settings) -> socket.socket:
    address = (settings.host, settings.port)
    try:
        family = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server(address, family=family, backlog=2048)
    except OSError as error:
        raise InvalidSettings(
            (
                (
                    f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
                    f"Set {PREFIX}HOST or {PREFIX}PORT to an address that is free."
                ),
            )
        ) from error
    listener.set_inheritable(True)
    return listener


def _prepare_shared_counts(port: int) -> None:
    """Give the workers a folder of ours for their counts, without those of an earlier service.

    The folder that was named may hold files of anybody, whose names may end as those do.
    """
    directory = os.environ.get(MULTIPROCESS_VARIABLE)
    if not directory:
        # The metrics library would take an empty name for the working directory.
        os.environ.pop(MULTIPROCESS_VARIABLE, None)
        return
    # no other living service has the port
    path = Path(directory).absolute() / f"hotboard-{port}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        for counts in path.glob("*_[0-9]*.db"):
            counts.unlink()
    except OSError as error:
        sentence = f"{MULTIPROCESS_VARIABLE} is {directory!r}: it must be a directory to write in"
        raise InvalidSettings((f"{sentence} ({error.strerror}).",)) from error
    os.environ[MULTIPROCESS_VARIABLE] = str(path)


if __name__ == "__main__":
    sys.exit(main())
