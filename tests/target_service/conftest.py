"""One server and one service per mode, started once and shared by all tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from achievements_client import Achieving
from durable_service import Durable, durable_service, impatient_service
from event_service import EventService
from leaderboard_client import HOME, Leaderboard, path
from service_process import ServiceProcess
from valkey_process import ValkeyProcess

DATABASES = {"naive": 1, "partitioned": 2}


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValkeyProcess]:
    """A running server that no test stops or freezes."""
    process = ValkeyProcess(tmp_path_factory.mktemp("valkey"))
    process.start()
    yield process
    process.stop()


@pytest.fixture
def own_valkey(tmp_path: Path) -> Iterator[ValkeyProcess]:
    """A running server that the test may do anything to."""
    process = ValkeyProcess(tmp_path)
    process.start()
    yield process
    process.stop()


@pytest.fixture(scope="session", params=list(DATABASES))
def running(
    request: pytest.FixtureRequest,
    valkey: ValkeyProcess,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Leaderboard]:
    """A running service of each mode in turn."""
    mode = str(request.param)
    database = DATABASES[mode]
    service = ServiceProcess(
        tmp_path_factory.mktemp(mode) / "service.log",
        HOTBOARD_MODE=mode,
        HOTBOARD_REDIS_URL=valkey.url(database),
    )
    service.start()
    with service.client() as http, valkey.client(database) as redis:
        for what in ("around", "rank"):
            # The server knows both scripts from here on, so that every test counts alike.
            http.get(path(HOME, "players", "nobody", what))
        yield Leaderboard(mode, http, redis)
    service.stop()


@pytest.fixture
def leaderboard(running: Leaderboard) -> Leaderboard:
    """A running service without scores."""
    running.clear()
    return running


@pytest.fixture(scope="session", params=list(DATABASES))
def durable_running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Durable]:
    """A running service with a ledger, of each mode in turn, on a server of its own."""
    mode = str(request.param)
    folder = tmp_path_factory.mktemp(f"durable-{mode}")
    valkey = ValkeyProcess(folder)
    valkey.start()
    with durable_service(mode, valkey, folder) as durable:
        for what in ("around", "rank"):
            durable.http.get(path(HOME, "players", "nobody", what))
        yield durable
    valkey.stop()


@pytest.fixture
def durable(durable_running: Durable) -> Durable:
    """A running service with a ledger; the tests use players of their own."""
    return durable_running


@pytest.fixture
def shaky_durable(own_valkey: ValkeyProcess, tmp_path: Path) -> Iterator[Durable]:
    """A partitioned service with a ledger, to which the test may do anything."""
    with impatient_service("partitioned", own_valkey, tmp_path) as durable:
        yield durable


@pytest.fixture(scope="session")
def achieving_running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Achieving]:
    """A running service whose members are asked for achievements, on a server of its own."""
    folder = tmp_path_factory.mktemp("achieving")
    valkey = ValkeyProcess(folder)
    valkey.start()
    with durable_service("partitioned", valkey, folder) as durable:
        yield Achieving(durable.http, durable.redis, durable.ledger)
    valkey.stop()


@pytest.fixture
def achieving(achieving_running: Achieving) -> Achieving:
    """A running service; the tests use members and organisations of their own."""
    return achieving_running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventService]:
    """A running service for community events, on a server of its own."""
    folder = tmp_path_factory.mktemp("odometer")
    valkey = ValkeyProcess(folder)
    valkey.start()
    with durable_service("partitioned", valkey, folder) as durable:
        yield EventService(durable)
    valkey.stop()
