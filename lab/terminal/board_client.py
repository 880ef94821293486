"""How long requests took that were sent one after another."""

import http.client
import json
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lab.errors import PartFailed
from lab.http_json import connection_to, plain_words, whole_body
from workload.dataset import Entry

_MS_PER_SECOND = 1_000


@dataclass(frozen=True)
class Timing:
    """The duration of each request, and of all of them together."""

    request_seconds: tuple[float, ...]
    elapsed_seconds: float

    @property
    def per_second(self) -> float:
        """Requests a second, sent by one client that waits for each answer."""
        return len(self.request_seconds) / self.elapsed_seconds

    def line(self, name: str, fraction: float) -> str:
        """One percentile as a line of a report."""
        milliseconds = percentile(self.request_seconds, fraction) * _MS_PER_SECOND
        return f"{name} p{fraction * 100:.0f}: {milliseconds:.3f} ms over HTTP"


def percentile(values: Sequence[float], fraction: float) -> float:
    """The value that stands at a fraction of the way through the sorted values.

    It is always one of the values: the position is rounded down, nothing is interpolated.
    """
    return sorted(values)[int((len(values) - 1) * fraction)]


_SECONDS = 10.0
_JSON = {"Content-Type": "application/json"}
_ONLY_OK: Final = frozenset({http.client.OK})
_STORED: Final = frozenset({http.client.OK, http.client.ACCEPTED})
_SEEN_OR_NOT: Final = frozenset(
    {http.client.OK, http.client.NOT_FOUND, http.client.SERVICE_UNAVAILABLE}
)


@dataclass(frozen=True)
class Probe:
    """What the ranking said of one player: the HTTP status, and on 200 the score.

    `recovering` says that the answer may be behind.
    """

    status: int
    score: int | None = None
    recovering: bool = False

    def shown(self) -> str:
        """The same in words."""
        if self.score is None:
            return f"unavailable ({self.status})"
        return f"{self.score} (recovering)" if self.recovering else str(self.score)


class BoardClient:
    """Sends what the lab asks for; an answer that nobody asked for ends the lab."""

    def __init__(self, url: str, before_each: Callable[[], None]) -> None:
        self._connection = connection_to(url, _SECONDS)
        self._before_each = before_each
        self.last_seconds = 0.0

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def submit(self, event_id: str, entry: Entry) -> None:
        """Store one score, which must be applied."""
        status = self.deliver(event_id, entry)
        if status != "applied":
            raise PartFailed(f"Event {event_id} was not applied: {status}.")

    def deliver(self, event_id: str, entry: Entry, sequence: int | None = None) -> str:
        """Send one score, and return what became of it."""
        region, mode, season = board_path(entry.partition)
        event: dict[str, object] = {"event_id": event_id, "player_id": entry.player}
        event |= {"region": region, "mode": mode, "season": season, "score": entry.score}
        if sequence is not None:
            event["sequence"] = sequence
        _, content = self._send("POST", "/v1/scores", json.dumps(event).encode(), _STORED)
        return str(json.loads(content)["status"])

    def submit_batch(self, partition: str, event_ids: Sequence[str], some: Sequence[Entry]) -> None:
        """Store the scores of one partition, which must all be applied."""
        columns = {
            "event_id": list(event_ids),
            "player_id": [entry.player for entry in some],
            "score": [entry.score for entry in some],
        }
        answer = self._json("POST", _below(partition, "scores"), columns)
        if answer["counts"]["applied"] != len(some):
            raise PartFailed(f"{partition} did not take all {len(some)} players: {answer}.")

    def top(self, count: int) -> dict[str, Any]:
        """The global top."""
        return self._json("GET", f"/v1/top?k={count}")

    def around(self, entry: Entry, window: int) -> dict[str, Any]:
        """The page around a player of one partition."""
        where = _below(entry.partition, "players", entry.player, "around")
        return self._json("GET", f"{where}?window={window}")

    def probe(self, entry: Entry) -> Probe:
        """The player's score in the ranking, if it can be read at all."""
        where = _below(entry.partition, "players", entry.player, "around")
        status, content = self._send("GET", f"{where}?window=1", None, _SEEN_OR_NOT)
        if status != http.client.OK:
            return Probe(status)
        answer = json.loads(content)
        return Probe(status, answer["score"], answer.get("recovering", False))

    def rank(self, entry: Entry) -> dict[str, Any]:
        """The exact global rank of a player."""
        return self._json("GET", _below(entry.partition, "players", entry.player, "rank"))

    def describe(self) -> dict[str, Any]:
        """What the service says about itself."""
        return self._json("GET", "/v1/boards")

    def metrics(self) -> str:
        """A scrape of the service's counters."""
        _, content = self._send("GET", "/metrics", None)
        return content.decode()

    def _json(self, method: str, where: str, content: object = None) -> dict[str, Any]:
        body = None if content is None else json.dumps(content).encode()
        _, text = self._send(method, where, body)
        answer: dict[str, Any] = json.loads(text)
        return answer

    def _send(
        self, method: str, where: str, body: bytes | None, wanted: Container[int] = _ONLY_OK
    ) -> tuple[int, bytes]:
        self._before_each()
        began = time.perf_counter()
        try:
            self._connection.request(method, where, body, _JSON if body else {})
            answer = self._connection.getresponse()
            content = whole_body(answer)
        except (OSError, http.client.HTTPException, ValueError) as error:
            told = f"The service did not answer {method} {where}: {plain_words(error)}."
            raise PartFailed(told) from error
        self.last_seconds = time.perf_counter() - began
        if answer.status not in wanted:
            text = content.decode(errors="replace")
            raise PartFailed(f"{method} {where} was answered {answer.status}: {text}")
        return answer.status, content


def board_path(partition: str) -> tuple[str, str, str]:
    """The region, mode and season that a partition's key names."""
    _, region, mode, season = partition.split(":")
    return region, mode, season


def _below(partition: str, *rest: str) -> str:
    return "/".join(("/v1/boards", *board_path(partition), *rest))
