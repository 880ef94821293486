"""A small client of the service, in the words of its API."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from service_process import PATIENCE_SECONDS

Partition = tuple[str, str, str]
REGIONS = ("na-east", "na-west", "eu", "apac")
MODES = ("solo", "duo", "squad")
PARTITIONS: Sequence[Partition] = tuple((r, m, "s1") for r in REGIONS for m in MODES)
HOME: Partition = ("eu", "solo", "s1")
GLOBAL_KEY = "lb:global:all:s1"
Json = dict[str, Any]


def key_of(partition: Partition) -> str:
    """The name of a partition."""
    return "lb:" + ":".join(partition)


@dataclass(frozen=True)
class Leaderboard:
    """One service under test, its mode, and a look behind it."""

    mode: str
    http: httpx.Client
    redis: Redis

    def board(self, partition: Partition) -> str:
        """The board that answers name for this partition."""
        return GLOBAL_KEY if self.mode == "naive" else key_of(partition)

    def clear(self) -> None:
        """Forget every score."""
        self.redis.flushdb()

    def submit(self, player: str, score: int, partition: Partition = HOME) -> httpx.Response:
        """Store one score."""
        return self.http.post("/v1/scores", json=event(player, score, partition))

    def load(self, scores: Mapping[str, int], partition: Partition = HOME) -> None:
        """Store many scores."""
        if not scores:
            return
        ids = [uuid4().hex for _ in scores]
        columns = {"event_id": ids, "player_id": [*scores], "score": [*scores.values()]}
        answer = self.http.post(path(partition, "scores"), json=columns)
        answer.raise_for_status()

    def top(self, k: int) -> Json:
        """The global top K."""
        return _json(self.http.get("/v1/top", params={"k": k}))

    def partition_top(self, k: int, partition: Partition = HOME) -> Json:
        """The top K of one board."""
        return _json(self.http.get(path(partition, "top"), params={"k": k}))

    def around(self, player: str, window: int, partition: Partition = HOME) -> Json:
        """The page around a player."""
        where = path(partition, "players", player, "around")
        return _json(self.http.get(where, params={"window": window}))

    def rank(self, player: str, partition: Partition = HOME) -> Json:
        """The global rank of a player."""
        return _json(self.http.get(path(partition, "players", player, "rank")))

    def samples(self) -> dict[tuple[str, ...], float]:
        """Every sample of a scrape, by name and label values (sorted by label)."""
        text = self.http.get("/metrics").text
        return {
            (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }


def event(player: str, score: int, partition: Partition = HOME) -> Json:
    """The body of one submitted score."""
    region, mode, season = partition
    place = {"region": region, "mode": mode, "season": season}
    return {"event_id": uuid4().hex, "player_id": player, "score": score, **place}


def path(partition: Partition, *rest: str) -> str:
    """The path below one board."""
    segments = (*partition, *rest)
    return "/v1/boards/" + "/".join(quote(segment, safe="") for segment in segments)


def _json(response: httpx.Response) -> Json:
    response.raise_for_status()
    answer: Json = response.json()
    return answer


@dataclass(frozen=True)
class Response:
    """A whole answer whose body is JSON."""

    status: int
    headers: Mapping[str, str]
    body: Json


def send_alone(base_url: str, method: str, where: str, body: Json | None = None) -> Response:
    """Send one request on a connection of its own, from any thread."""
    connection = HTTPConnection(base_url.removeprefix("http://"), timeout=PATIENCE_SECONDS)
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, where, sent, {"content-type": "application/json"})
        answer = connection.getresponse()
        return Response(answer.status, dict(answer.getheaders()), json.loads(answer.read()))
    finally:
        connection.close()
