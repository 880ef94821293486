"""A server that answers a given number of commands and then falls silent."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from hiredis import Reader
from redis.exceptions import ResponseError

from target_service.redis.commands import Command, Reply, pack
from target_service.redis.connection import connector
from target_service.redis.pipeline import Pipeline

# What a pipeline gives a server that falls silent: more than a busy machine takes from a process.
TIMEOUT_SECONDS = 2.0
# What it gives one that does not.
PATIENCE_SECONDS = 60.0
Scenario = Callable[[Pipeline], Coroutine[Any, Any, None]]


class RecordingMetrics:
    """Remembers what became of its commands."""

    def __init__(self) -> None:
        self.answers: list[Reply] = []
        self.errors: list[ResponseError] = []
        self.unknown = 0

    def answered(self, reply: Reply, seconds: float) -> None:  # noqa: ARG002  (the protocol's)
        """Remember the reply."""
        self.answers.append(reply)

    def refused(self, error: ResponseError) -> None:
        """Remember the error."""
        self.errors.append(error)

    def unanswered(self) -> None:
        """Remember that nothing came."""
        self.unknown += 1


class FakeRedis:
    """Echoes the argument of every ECHO while its patience lasts; each write is one batch."""

    def __init__(self, answers: int) -> None:
        self.answers_left = answers
        self.batches: list[int] = []
        self.connections = 0
        self.serving: list[asyncio.Task[Any]] = []
        self.closed = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until the client closes it."""
        self.connections += 1
        if task := asyncio.current_task():
            self.serving.append(task)
        requests = Reader(encoding="utf-8")
        while data := await reader.read(1 << 20):
            requests.feed(data)
            commands = []
            while (command := requests.gets()) is not False:
                commands.append(command)
            echoes = [command[1] for command in commands if command[0] == "ECHO"]
            writer.write(b"+OK\r\n" * (len(commands) - len(echoes)))
            if echoes:
                self.batches.append(len(echoes))
            for echo in echoes[: self.answers_left]:
                writer.write(f"${len(echo)}\r\n{echo}\r\n".encode())
            self.answers_left = max(0, self.answers_left - len(echoes))
        writer.close()
        await writer.wait_closed()
        self.closed += 1


def echo(text: str, command_metrics: RecordingMetrics, weight: int = 1) -> Command:
    """A command that a healthy server answers with the text."""
    return Command(pack("ECHO", text), command_metrics, weight)


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until it is so; it has to become so."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_so():  # noqa: ASYNC110 - the fake and its pipeline know no events
            await asyncio.sleep(0.01)


def run_against(
    fake: FakeRedis, scenario: Scenario, timeout_seconds: float = PATIENCE_SECONDS
) -> None:
    """Run the scenario with a pipeline to the fake."""

    async def play() -> None:
        """Serve, play, and wait until every connection is closed."""
        server = await asyncio.start_server(fake.serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        await _with_pipeline(f"redis://127.0.0.1:{port}", scenario, timeout_seconds)
        await asyncio.gather(*fake.serving)
        server.close()
        await server.wait_closed()

    asyncio.run(play())


def run_at(url: str, scenario: Scenario) -> None:
    """Run the scenario with a pipeline to a real server."""
    asyncio.run(_with_pipeline(url, scenario, PATIENCE_SECONDS))


async def _with_pipeline(url: str, scenario: Scenario, timeout_seconds: float) -> None:
    pipeline = Pipeline(connector(url, timeout_seconds), timeout_seconds)
    pipeline.start()
    try:
        await scenario(pipeline)
    finally:
        await pipeline.stop()
