"""Counting at a steady rate over HTTP, each request timed from the instant it was due."""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from random import Random

from made_members import name

_CONNECTIONS = 64
Span = tuple[float, float]


@dataclass
class Windows:
    """The spans of time that were given to one thing."""

    spans: list[Span] = field(default_factory=list)

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Take the block's time."""
        start = time.perf_counter()
        yield
        self.spans.append((start, time.perf_counter()))


@dataclass
class IngestLoad:
    """Sends beacons of random members at a rate until it is told to stop."""

    port: int
    members: int
    rate: float
    seconds: list[tuple[float, float]] = field(default_factory=list)
    failed: int = 0

    async def run(self, until: asyncio.Event) -> None:
        """Send, and keep (due, seconds) of every answer."""
        due: asyncio.Queue[float] = asyncio.Queue()
        lanes = [asyncio.create_task(self._lane(due, lane)) for lane in range(_CONNECTIONS)]
        rng = Random(1)
        at = time.perf_counter()
        while not until.is_set():
            at += rng.expovariate(self.rate)
            await asyncio.sleep(max(0.0, at - time.perf_counter()))
            due.put_nowait(at)
        await due.join()
        for lane in lanes:
            lane.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)

    def p99_ms(self, spans: Sequence[Span]) -> float:
        """The 99th percentile of what was due in these spans."""
        found = sorted(self._in(spans))
        return found[int(len(found) * 0.99)] * 1_000

    def answered(self, spans: Sequence[Span]) -> int:
        """How many that were due in these spans were answered."""
        return len(self._in(spans))

    def _in(self, spans: Sequence[Span]) -> list[float]:
        return [
            seconds
            for due, seconds in self.seconds
            if any(start <= due < end for start, end in spans)
        ]

    async def _lane(self, due: asyncio.Queue[float], lane: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        rng = Random(lane)
        for number in count():
            at = await due.get()
            member = name(rng.randrange(self.members))
            event = {"event_id": f"ingest-{lane}-{number}", "page_views": 1, "unique_visitors": 1}
            body = json.dumps(event).encode()
            head = f"POST /v1/members/{member}/counters HTTP/1.1\r\nHost: x\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            status = await reader.readline()
            length = 0
            while (line := await reader.readline()) != b"\r\n":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            await reader.readexactly(length)
            self.failed += b" 200 " not in status
            self.seconds.append((at, time.perf_counter() - at))
            due.task_done()
