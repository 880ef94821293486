"""Routes under load beside an empty FastAPI route: service CPU and rate, in alternating rounds.

The service runs without a ledger. Its ratio of requests a second to the empty route is what the
routing, one validation and Redis leave of FastAPI's own speed; above 1 it is faster than that.
The long form, five minutes:

    .venv/bin/python tests/target_service/bench_routes.py --rounds 9 --requests 20000
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))

import psutil
import uvicorn
from fastapi import FastAPI
from free_ports import free_port
from service_process import ServiceProcess
from valkey_process import ValkeyProcess

CONNECTIONS = 16
AROUND = "/v1/boards/eu/solo/s1/players/player-00017/around?window=2"
_numbers = itertools.count()


def get(path: str) -> bytes:
    """One GET as bytes."""
    return f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode()


def submit() -> bytes:
    """One score as bytes, under an event id of its own."""
    number = next(_numbers)
    body = (
        f'{{"event_id":"bench-{number}","player_id":"player-{number % 1000:05d}","region":"eu",'
        f'"mode":"solo","season":"s1","score":{number % 10_000},"sequence":{number + 1}}}'
    ).encode()
    head = "POST /v1/scores HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


@dataclass(frozen=True)
class Subject:
    """Something to ask: its name, its process, and the next request."""

    name: str
    process: psutil.Process
    port: int
    request: Callable[[], bytes]


async def _ask(port: int, request: Callable[[], bytes], requests: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for _ in range(requests):
        writer.write(request())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"{request()!r} was answered {head!r}")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
    writer.close()


async def _round(subject: Subject, requests: int) -> tuple[float, float]:
    """Return microseconds of the process's CPU for each request, and requests a second."""
    each = requests // CONNECTIONS
    before, started = subject.process.cpu_times(), time.perf_counter()
    await asyncio.gather(*(_ask(subject.port, subject.request, each) for _ in range(CONNECTIONS)))
    seconds, after = time.perf_counter() - started, subject.process.cpu_times()
    cpu = after.user + after.system - before.user - before.system
    return cpu / (each * CONNECTIONS) * 1e6, each * CONNECTIONS / seconds


def serve_empty(port: int) -> None:
    """Serve an app of one empty route, as its documentation begins."""
    app = FastAPI()

    @app.get("/")
    async def nothing() -> dict[str, str]:
        return {}

    uvicorn.run(
        app, port=port, loop="uvloop", http="httptools", access_log=False, log_level="error"
    )


@contextmanager
def empty_app() -> Iterator[tuple[psutil.Process, int]]:
    """The empty app in a process of its own."""
    port = free_port()
    process = psutil.Popen([sys.executable, __file__, "--serve-empty", str(port)])
    try:
        while not any(one.laddr.port == port for one in process.net_connections()):
            time.sleep(0.05)
        yield process, port
    finally:
        process.terminate()
        process.wait()


@contextmanager
def service(directory: Path) -> Iterator[tuple[psutil.Process, int]]:
    """The service on a server of its own, with a thousand players on one board."""
    valkey = ValkeyProcess(directory)
    valkey.start()
    process = ServiceProcess(
        directory / "service.log",
        HOTBOARD_MODE="partitioned",
        HOTBOARD_REDIS_URL=valkey.url(),
        HOTBOARD_LEDGER="none",
    )
    process.start()
    try:
        with process.client() as client:
            players = [f"player-{number:05d}" for number in range(1_000)]
            columns = {"event_id": players, "player_id": players, "score": list(range(1_000))}
            client.post("/v1/boards/eu/solo/s1/scores", json=columns).raise_for_status()
        if process.process is None:
            raise SystemExit("The service did not start.")
        yield psutil.Process(process.process.pid), process.port
    finally:
        process.stop()
        valkey.stop()


def main() -> None:
    """Measure in alternating rounds, and print medians and ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each route")
    parser.add_argument("--requests", type=int, default=4_000, help="requests of a round")
    parser.add_argument("--serve-empty", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve_empty:
        serve_empty(options.serve_empty)
        return
    with (
        tempfile.TemporaryDirectory() as directory,
        empty_app() as (empty, empty_port),
        service(Path(directory)) as (ours, port),
    ):
        subjects = [
            Subject("empty FastAPI route", empty, empty_port, lambda: get("/")),
            Subject("submit", ours, port, submit),
            Subject("top", ours, port, lambda: get("/v1/top?k=10")),
            Subject("around", ours, port, lambda: get(AROUND)),
        ]
        for subject in subjects:
            asyncio.run(_round(subject, options.requests // 4))
        found: dict[str, list[tuple[float, float]]] = {}
        for _ in range(options.rounds):
            for subject in subjects:
                found.setdefault(subject.name, []).append(
                    asyncio.run(_round(subject, options.requests))
                )
    sys.stdout.write("\n".join(lines(found)) + "\n")


def lines(found: dict[str, list[tuple[float, float]]]) -> Iterator[str]:
    """Write the medians, and their ratios to the empty route."""
    yield f"{'route':<20}  CPU µs  of empty  requests/s  of empty"
    medians = {
        name: [statistics.median(column) for column in zip(*rounds, strict=True)]
        for name, rounds in found.items()
    }
    empty_cpu, empty_rate = medians["empty FastAPI route"]
    for name, (cpu, rate) in medians.items():
        of_empty = f"{cpu / empty_cpu:>8.2f}  {rate:>10,.0f}  {rate / empty_rate:>8.2f}"
        yield f"{name:<20}  {cpu:>6.0f}  {of_empty}"


if __name__ == "__main__":
    main()
