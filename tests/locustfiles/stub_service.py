"""A leaderboard service with nothing behind it, which misbehaves on request.

`python stub_service.py` prints its port. `POST /behave/<how>` changes what the routes that are
measured do: well, silent (take the request, answer nothing), falls-silent (after a few answers),
leaves (ends after a few answers), reset (close without an answer), error (503), refuse (422),
nonsense (200 without what was promised). `slow-load`, `held-load` (until it behaves otherwise) and
`no-load` change what happens to batches.
"""

import asyncio
import json
import os
import sys
from collections import Counter
from itertools import product

REGIONS, MODES, SEASONS = ("na-east", "na-west", "eu", "apac"), ("solo", "duo", "squad"), ("s1",)
PARTITIONS = [f"lb:{r}:{m}:{s}" for r, m, s in product(REGIONS, MODES, SEASONS)]
DESCRIPTION = {
    "mode": "naive",
    "ledger": "none",
    "season": "s1",
    "regions": REGIONS,
    "modes": MODES,
    "seasons": SEASONS,
    "partitions": PARTITIONS,
    "keys": ["lb:global:all:s1"],
    "boards": dict.fromkeys(PARTITIONS, "lb:global:all:s1"),
    "limits": {
        "k": [1, 1000],
        "window": [1, 50],
        "batch_events": 5000,
        "id_characters": 64,
        "body_bytes": 8_000_000,
    },
    "redis": None,
}
FEW = 20  # answers before it falls silent or leaves
REASONS = {200: "OK", 404: "Not Found", 422: "Unprocessable Content", 503: "Service Unavailable"}
MISBEHAVIOUR = {
    "silent": (-1, ""),
    "reset": (-1, ""),
    "error": (503, '{"type":"unavailable"}'),
    "refuse": (422, '{"type":"invalid"}'),
    "nonsense": (200, '{"message":"hello"}'),
}


class StubService:
    """Counts what it is asked, and keeps every event it accepted."""

    def __init__(self) -> None:
        self.behaviour = "well"
        self.may_load = asyncio.Event()
        self.may_load.set()
        self.hits: Counter[str] = Counter()
        self.events: list[str] = []
        self.sequences: dict[str, list[int]] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = head.lower().partition("content-length:")[2].split("\r\n")[0]
                body = await reader.readexactly(int(length or 0))
                method, path, _ = head.split(" ", 2)
                if path.endswith("/scores"):
                    await self.delay_batch()
                status, answer = self.answer(method, path, body)
                if status < 0:
                    await asyncio.sleep(3600 if self.behaviour == "silent" else 0)
                    break
                writer.write(
                    f"HTTP/1.1 {status} {REASONS[status]}\r\n"
                    f"Content-Length: {len(answer)}\r\n\r\n{answer}".encode()
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def delay_batch(self) -> None:
        """Take the configured time for a batch."""
        if self.behaviour == "slow-load":
            await asyncio.sleep(1)
        await self.may_load.wait()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        """Status and body for one request; a negative status means no answer."""
        path, _, query = path.partition("?")
        if path.startswith("/behave/"):
            self.behave(path.rpartition("/")[2])
            return 200, "{}"
        if path in {"/v1/boards", "/metrics", "/seen"}:
            return 200, self.tell(path)
        if method == "POST" and path.startswith("/v1/boards/"):
            return self.load(json.loads(body))
        if self.behaviour == "falls-silent" and self.hits.total() >= FEW:
            self.behaviour = "silent"
        if self.behaviour == "leaves" and self.hits.total() >= FEW:
            os._exit(0)
        return MISBEHAVIOUR.get(self.behaviour) or self.serve_well(path, query, body)

    def behave(self, how: str) -> None:
        """Change what is done from now on."""
        self.behaviour = how
        if how == "held-load":
            self.may_load.clear()
        else:
            self.may_load.set()

    def tell(self, path: str) -> str:
        """What the service says of itself."""
        if path == "/v1/boards":
            return json.dumps(DESCRIPTION)
        if path == "/seen":
            return json.dumps({"events": self.events, "sequences": self.sequences})
        key = 'key="lb:global:all:s1"'
        return (
            f'leaderboard_key_ops_total{{{key},op="write"}} {self.hits["write"]}\n'
            f'leaderboard_key_ops_total{{{key},op="read"}} {self.hits["read"]}\n'
            f"leaderboard_key_members_written_total{{{key}}} {len(self.events)}\n"
        )

    def load(self, columns: dict[str, list[str]]) -> tuple[int, str]:
        """Accept a batch, unless it is set to fail."""
        if self.behaviour == "no-load":
            return 503, '{"type":"unavailable"}'
        self.events += columns["event_id"]
        counts = {"applied": len(columns["event_id"]), "duplicate": 0, "stale": 0, "conflict": 0}
        return 200, json.dumps({"counts": counts})

    def serve_well(self, path: str, query: str, body: bytes) -> tuple[int, str]:
        """Answer as the service would, from nothing."""
        if path == "/v1/scores":
            event = json.loads(body)
            self.hits["write"] += 1
            self.events.append(event["event_id"])
            self.sequences.setdefault(event["player_id"], []).append(event["sequence"])
            return 200, '{"status":"applied"}'
        self.hits["read"] += 1
        if path == "/v1/top":
            k = int(query.partition("k=")[2].partition("&")[0])
            entry = {"player": "player-00001", "score": 1, "partition": "lb:global:all:s1"}
            return 200, json.dumps({"entries": [entry] * k, "as_of": "2026-01-01T00:00:00.000Z"})
        if path.endswith("/around"):
            player = path.split("/")[-2]
            entry = {"player": player, "score": 1, "position": 7}
            return 200, json.dumps({"player": player, "position": 7, "entries": [entry]})
        return 404, "{}"


async def main() -> None:
    """Serve on a port that the system chose, until the process is ended."""
    server = await asyncio.start_server(StubService().serve, "127.0.0.1", 0, limit=16_000_000)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
