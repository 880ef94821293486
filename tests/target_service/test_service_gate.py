"""What a page in somebody's browser cannot do, and who may ask under which name."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from free_ports import free_port
from leaderboard_client import HOME, Leaderboard, event, path
from problem_checks import check
from service_process import PATIENCE_SECONDS, ServiceProcess
from starlette.types import Receive, Scope, Send
from valkey_process import ValkeyProcess

from target_service.http.answers import answer
from target_service.http.bounded_requests import BoundedRequests
from target_service.http.gate import Gate
from target_service.settings import Settings

DATABASE = 8
PAGE = "https://elsewhere.example"


@pytest.fixture
def named(valkey: ValkeyProcess, tmp_path: Path) -> Iterator[httpx.Client]:
    """A service that is told one name of its own."""
    service = ServiceProcess(
        tmp_path / "service.log",
        HOTBOARD_MODE="naive",
        HOTBOARD_REDIS_URL=valkey.url(DATABASE),
        HOTBOARD_ALLOWED_HOSTS="boards.example.org, other.example.org",
    )
    service.start()
    with service.client() as client:
        yield client
    service.stop()


@pytest.mark.parametrize("origin", [PAGE, "null", "http://127.0.0.1:1", "http://127.0.0.1"])
def test_a_page_of_another_site_applies_nothing(leaderboard: Leaderboard, origin: str) -> None:
    """Whatever its browser sends, to a route with a body or without, and to read as well."""
    for method, where in (
        ("POST", "/v1/scores"),
        ("POST", "/v1/sweeps"),
        ("GET", "/v1/top"),
        ("GET", "/metrics"),
        ("OPTIONS", "/v1/scores"),
        ("POST", "/nowhere"),
    ):
        sent = leaderboard.http.request(
            method, where, json=event("ann", 1), headers={"origin": origin}
        )
        check(sent, 403, "foreign-origin")

    assert [] == leaderboard.top(10)["entries"]


def test_the_services_own_page_may_ask(leaderboard: Leaderboard) -> None:
    """Its requests come from where they go to, under whatever name it was opened."""
    for host in (leaderboard.http.base_url.netloc.decode(), "localhost:8000", "target_service"):
        origin = {"origin": f"http://{host}", "host": host}

        assert (200, host) == (
            leaderboard.http.post("/v1/scores", json=event("ann", 1), headers=origin).status_code,
            host,
        )


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", None])
def test_a_body_is_said_to_be_json(leaderboard: Leaderboard, kind: str | None) -> None:
    """A browser sends these without asking; nothing of them is applied."""
    for where in ("/v1/scores", path(HOME, "scores")):
        request = leaderboard.http.build_request("POST", where, json=event("ann", 1))
        del request.headers["content-type"]
        if kind is not None:
            request.headers["content-type"] = kind
        check(leaderboard.http.send(request), 415, "unsupported-media")

    assert [] == leaderboard.top(10)["entries"]


def test_json_is_said_in_other_ways_too(leaderboard: Leaderboard) -> None:
    """With a parameter, and in capitals."""
    for kind in ("application/json; charset=utf-8", "Application/JSON"):
        headers = {"content-type": kind}
        sent = leaderboard.http.post("/v1/scores", json=event("ann", 1), headers=headers)

        assert sent.status_code == 200


def test_a_name_that_is_made_to_lead_here_is_refused(leaderboard: Leaderboard) -> None:
    """A page whose name was changed to mean this machine has one origin with what it asks for."""
    headers = {"host": "elsewhere.example:8000", "origin": "http://elsewhere.example:8000"}

    check(leaderboard.http.get("/v1/top", headers=headers), 421, "foreign-host")
    check(
        leaderboard.http.post("/v1/scores", json=event("ann", 1), headers=headers),
        421,
        "foreign-host",
    )
    for probed in ("/healthz", "/readyz", "/metrics"):
        asked = {"host": "elsewhere.example:8000"}
        assert leaderboard.http.get(probed, headers=asked).status_code == 200
        assert leaderboard.http.head(probed, headers=asked).status_code == 200


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        *((host, True) for host in ("127.0.0.1", "127.0.0.1:8000", "[::1]:8000", "10.1.2.3:80")),
        *((host, True) for host in ("localhost:1", "target_service:8000", "LOCALHOST", "a", "")),
        *((host, True) for host in ("host.docker.internal:8000", "hot.localhost", "board.test")),
        *((host, False) for host in ("elsewhere.example", "elsewhere.example:80", "a.b.", "a.b")),
        *((host, False) for host in ("127.0.0.1.elsewhere.example", "localhost.example", "\xff.b")),
    ],
)
def test_names_that_may_be_the_services(host: str, *, is_ours: bool) -> None:
    """Addresses, names without a dot, private ones, its own, and what it was told; no other."""
    gate = Gate(Settings(mode="naive", host="Board.test"))
    scope = {"path": "/", "method": "GET", "headers": [(b"host", host.encode("latin-1"))]}

    assert is_ours == (gate.refusal(scope) is None)
    every = Gate(Settings(mode="naive", allowed_hosts=("*",)))
    assert every.refusal(scope) is None


def test_names_and_sites_that_were_allowed(named: httpx.Client) -> None:
    """Behind a proxy that changes the name, a page of an allowed one may ask."""
    for headers in (
        {"host": "boards.example.org"},
        {"host": "other.example.org:8443", "origin": "https://other.example.org:8443"},
        {"host": "target_service:8000", "origin": "https://boards.example.org"},
    ):
        sent = named.post("/v1/scores", json=event("ann", 1), headers=headers)
        assert sent.status_code == 200
    check(named.get("/v1/top", headers={"host": "a.example.org"}), 421, "foreign-host")


class _Hasty(BoundedRequests):
    """Bounds that a test can wait for."""

    head_bytes = 4_096
    whole_bytes = 300_000
    seconds = 0.5


async def _hello(_: Scope, receive: Receive, send: Send) -> None:
    """Read a body, then answer."""
    while (await receive()).get("more_body"):
        pass
    told = answer(b"hello", 200, b"text/plain")
    await send(told.start)
    await send(told.body)


async def _read(reader: asyncio.StreamReader) -> bytes:
    """All that comes before the other side ends the connection, in whatever way."""
    told = b""
    with suppress(ConnectionError):
        while part := await reader.read(65_536):
            told += part
    return told


def _sent(*parts: bytes, drip: bytes = b"") -> bytes:
    """What a server with these bounds answers to these bytes, and then one drop after the other."""

    async def exchange() -> bytes:
        port = free_port()
        config = uvicorn.Config(
            _hello, port=port, http=_Hasty, lifespan="off", log_level="error", timeout_keep_alive=1
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110  (uvicorn tells it in no other way)
            await asyncio.sleep(0.01)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answered = asyncio.create_task(_read(reader))
        for part in parts:
            writer.write(part)
            await asyncio.sleep(0.02)
        while drip and not answered.done():
            writer.write(drip)
            await asyncio.sleep(0.05)
        told = await asyncio.wait_for(answered, PATIENCE_SECONDS)
        writer.close()
        server.should_exit = True
        await serving
        return told

    return asyncio.run(exchange())


HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"


@pytest.mark.parametrize(
    ("parts", "drip", "status"),
    [
        ((HEAD, b"A: " + b"a" * 5_000), b"a", b"431 Request head too large"),
        ((HEAD, *[b"A: aaaaaaaa\r\n" * 40] * 12), b"", b"431 Request head too large"),
        ((HEAD,), b"A: a\r\n", b"408 Request too slow"),
        ((HEAD + b"A: a",), b"a", b"408 Request too slow"),
        ((b"POST / HTTP/1.1\r\nContent-Length: 900\r\n\r\n",), b"a", b"408 Request too slow"),
        (
            (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", *[b"A: " + b"a" * 60_000] * 8),
            b"",
            b"413 Body too large",
        ),
        ((b"G",), b"", b"408 Request too slow"),
    ],
)
def test_a_request_that_does_not_end_ends_its_connection(
    parts: tuple[bytes, ...], drip: bytes, status: bytes
) -> None:
    """Headers without end, at any speed, and a body or what follows one; a sentence says so."""
    told = _sent(*parts, drip=drip)

    assert b"HTTP/1.1 " + status == told.partition(b"\r\n")[0]
    assert b"application/problem+json" in told
    assert b"connection: close" in told


def test_a_connection_on_which_nothing_is_asked_ends() -> None:
    """As one does on which nothing is asked any more."""
    assert b"" == _sent()


def test_requests_within_the_bounds_are_answered_one_after_the_other() -> None:
    """In pieces, together in one, and with a large body; what came before does not count."""
    large = b"POST / HTTP/1.1\r\nContent-Length: 200000\r\n\r\n" + b"a" * 200_000
    whole = HEAD + b"A: " + b"a" * 3_000 + b"\r\n\r\n"
    told = _sent(whole, whole * 5, whole[:100], whole[100:], large, HEAD + b"\r\n")

    assert 9 == told.count(b"200 OK")
    assert 9 == told.count(b"hello")
    assert b"HTTP/1.1 4" not in told


def test_the_service_itself_has_these_bounds(leaderboard: Leaderboard) -> None:
    """Headers of more than 64 kB are refused by the running service."""
    host, port = leaderboard.http.base_url.host, leaderboard.http.base_url.port
    with socket.create_connection((host, port or 80), timeout=PATIENCE_SECONDS) as connection:
        connection.sendall(HEAD)
        connection.sendall(b"A: " + b"a" * 65_536)
        assert connection.recv(100).startswith(b"HTTP/1.1 431 ")
