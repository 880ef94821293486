"""A service with a ledger, and ways to write to it and to look behind it."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
from leaderboard_client import HOME, Json, Leaderboard, Partition, event, path
from redis import Redis
from service_process import PATIENCE_SECONDS, ServiceProcess
from valkey_process import ValkeyProcess

# What an impatient service gives Redis: more than a busy machine takes from a process.
TIMEOUT_SECONDS = 2.0


@dataclass
class Durable:
    """One service with its ledger on one server."""

    mode: str
    service: ServiceProcess
    valkey: ValkeyProcess
    ledger: Path
    http: httpx.Client
    redis: Redis

    @property
    def leaderboard(self) -> Leaderboard:
        """The same service in the words of its API."""
        return Leaderboard(self.mode, self.http, self.redis)

    def key(self, partition: Partition = HOME) -> str:
        """The board key that serves a partition."""
        return self.leaderboard.board(partition)

    def submit(
        self, player: str, score: int, partition: Partition = HOME, **fields: str | int
    ) -> httpx.Response:
        """Store one score, under a new event id unless one is given."""
        return self.http.post("/v1/scores", json=event(player, score, partition) | fields)

    def batch(
        self, columns: Mapping[str, Sequence[str | int]], partition: Partition = HOME
    ) -> httpx.Response:
        """Store a batch."""
        return self.http.post(path(partition, "scores"), json=dict(columns))

    def load(self, scores: Mapping[str, int], partition: Partition = HOME) -> httpx.Response:
        """Store many scores under new event ids."""
        ids = [uuid4().hex for _ in scores]
        columns: dict[str, Sequence[str | int]] = {
            "event_id": ids,
            "player_id": [*scores],
            "score": [*scores.values()],
        }
        answer = self.batch(columns, partition)
        answer.raise_for_status()
        return answer

    def truth(self) -> dict[str, dict[str, int]]:
        """Every player's score by board key, as the ledger's file tells it."""
        connection = sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)
        try:
            rows = connection.execute("SELECT board, player, score FROM standings").fetchall()
        finally:
            connection.close()
        boards: dict[str, dict[str, int]] = {}
        for board, player, score in rows:
            key = self.key(tuple(board.split(":")[1:])) if self.mode == "naive" else board
            boards.setdefault(key, {})[player] = score
        return boards

    def ranking(self) -> dict[str, dict[str, int]]:
        """Every player's score by board key, as Redis has it."""
        keys = self.http.get("/v1/boards").json()["keys"]
        boards: dict[str, dict[str, int]] = {}
        for key in keys:
            found: list[Any] = list(self.redis.zrange(key, 0, -1, withscores=True))
            if found:
                boards[key] = {player: int(score) for player, score in found}
        return boards

    def is_level(self) -> bool:
        """Whether the ranking equals the ledger, entry by entry."""
        return self.truth() == self.ranking()

    def is_marked(self) -> bool:
        """Whether every change in the ledger is marked projected."""
        with closing(sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True)) as connection:
            (ranges,) = connection.execute("SELECT count(*) FROM unprojected").fetchone()
        return int(ranges) == 0

    def sample(self, *name: str) -> float:
        """One sample of a scrape; a service that does not answer has none."""
        return self.leaderboard.samples().get(name, 0.0)

    def hold(self, until_ms: int) -> None:
        """Have the projector stand still until then."""
        connection = sqlite3.connect(self.ledger, isolation_level=None, timeout=PATIENCE_SECONDS)
        connection.execute("REPLACE INTO holds VALUES ('projector', ?)", (until_ms,))
        connection.close()

    def top(self, partition: Partition = HOME) -> Json:
        """The first entries of a board, whatever the answer."""
        answer: Json = self.http.get(path(partition, "top"), params={"k": 1000}).json()
        return answer


@contextmanager
def durable_service(
    mode: str, valkey: ValkeyProcess, folder: Path, **settings: str
) -> Iterator[Durable]:
    """A running service with a ledger in the folder."""
    settings = {
        "HOTBOARD_MODE": mode,
        "HOTBOARD_REDIS_URL": valkey.url(),
        **settings,
    }
    ledger = folder / "ledger.db"
    service = ServiceProcess(folder / "service.log", ledger, **settings)
    service.start()
    try:
        with service.client() as http, valkey.client() as redis:
            yield Durable(mode, service, valkey, ledger, http, redis)
    finally:
        service.stop()


def impatient_service(
    mode: str, valkey: ValkeyProcess, folder: Path
) -> AbstractContextManager[Durable]:
    """A running service that soon does without Redis, for tests that freeze or end it."""
    timeout = str(TIMEOUT_SECONDS)
    return durable_service(mode, valkey, folder, HOTBOARD_REDIS_TIMEOUT_SECONDS=timeout)


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it becomes so, given much more time than it needs."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.05)
    return is_so()


def entries(top: Json) -> dict[str, int]:
    """The players and scores of an answer; a refusal has none."""
    return {entry["player"]: entry["score"] for entry in top.get("entries", ())}
