"""What needs an unusual service: two seasons, a defect, a client that leaves, a silent Redis."""

import asyncio
import logging
import math
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from free_ports import free_port
from leaderboard_client import event
from service_process import PATIENCE_SECONDS, ServiceProcess
from starlette.types import Message, Scope
from valkey_process import ValkeyProcess

from target_service.app import create_app
from target_service.http.service import problem_of
from target_service.leaderboard.boards import Boards
from target_service.leaderboard.leaderboard import MemberCounts
from target_service.leaderboard.scores import ProjectionWriter
from target_service.ledger.errors import LedgerBusy, LedgerClosed, LedgerError, LedgerFull
from target_service.metrics import Metrics
from target_service.redis.connection import connector
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings

DATABASE = 8


def _settings(valkey: ValkeyProcess) -> Settings:
    return Settings(mode="partitioned", redis_url=valkey.url(DATABASE), ledger="none")


@pytest.fixture
def two_seasons(valkey: ValkeyProcess, tmp_path: Path) -> Iterator[httpx.Client]:
    """A service on which two seasons are active."""
    with valkey.client(DATABASE) as redis:
        redis.flushdb()
    service = ServiceProcess(
        tmp_path / "service.log",
        HOTBOARD_MODE="partitioned",
        HOTBOARD_REDIS_URL=valkey.url(DATABASE),
        HOTBOARD_SEASONS="s1,s2",
    )
    service.start()
    with service.client() as client:
        yield client
    service.stop()


def test_seasons_are_ranked_apart(two_seasons: httpx.Client) -> None:
    """Top and rank look at one season's keys, whatever the other holds."""
    for season, score in (("s1", 10), ("s2", 20)):
        body = {**event("ann", score), "season": season}
        two_seasons.post("/v1/scores", json=body)
        two_seasons.post("/v1/scores", json={**body, "player_id": f"best-{season}", "score": 99})

    top = two_seasons.get("/v1/top", params={"season": "s2"}).json()
    rank = two_seasons.get("/v1/boards/eu/solo/s1/players/ann/rank").json()

    assert [entry["player"] for entry in top["entries"]] == ["best-s2", "ann"]
    assert (top["board"], top["season"]) == ("lb:global:all:s2", "s2")
    assert (rank["rank"], rank["score"], rank["keys_read"]) == (2, 10, 12)


def test_a_season_must_be_named_when_several_are_active(two_seasons: httpx.Client) -> None:
    """The top of which season, nobody can guess; the description then covers all."""
    refused = two_seasons.get("/v1/top?k=0").json()
    described = two_seasons.get("/v1/boards").json()
    second = two_seasons.get("/v1/boards?season=s2").json()

    assert [error["field"] for error in refused["errors"]] == ["k", "season"]
    assert (described["season"], len(described["partitions"])) == (None, 24)
    assert (second["season"], len(second["keys"])) == ("s2", 12)
    assert two_seasons.get("/v1/top?season=s3").status_code == 404


def test_a_defect_is_a_problem_document_too(
    valkey: ValkeyProcess, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client learns nothing of the inside; the log learns all of it."""

    async def fail(*_: object) -> None:
        """Fail with what no client may see."""
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(ProjectionWriter, "write", fail)
    monkeypatch.setattr("target_service.service_routes.read_server_facts", fail)

    async def call() -> list[httpx.Response]:
        """Call one hot and one cold route."""
        app = create_app(_settings(valkey))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return [
                await client.post("/v1/scores", json=event("ann", 1)),
                await client.get("/v1/boards"),
            ]

    with caplog.at_level(logging.ERROR):
        answers = asyncio.run(call())

    for answer in answers:
        assert answer.status_code == 500
        assert answer.json()["type"] == "urn:hotboard:problem:internal-error"
        assert "secret" not in answer.text
    assert "a secret" in caplog.text


def test_a_client_that_leaves_is_not_answered(valkey: ValkeyProcess) -> None:
    """Half a body is no request: nothing is sent, stored or counted as an error."""
    app = create_app(_settings(valkey))
    sent: list[Message] = []
    parts: Iterator[Message] = iter(
        [
            {"type": "http.request", "body": b'{"event_id"', "more_body": True},
            {"type": "http.disconnect"},
        ]
    )
    scope: Scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/scores",
        "raw_path": b"/v1/scores",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }

    async def receive() -> Message:
        """Send half a body, then leave."""
        return next(parts)

    async def send(message: Message) -> None:
        """Remember what was answered."""
        sent.append(message)

    async def call() -> None:
        """Call the app as a server would."""
        await app(scope, receive, send)

    asyncio.run(call())

    assert sent == []


def test_members_that_cannot_be_measured_are_no_number(valkey: ValkeyProcess) -> None:
    """A count from before the outage would look like a measurement."""
    settings = _settings(valkey)
    metrics = Metrics()

    async def refresh(url: str) -> None:
        """Refresh once from this server."""
        pipeline = Pipeline(connector(url, PATIENCE_SECONDS), PATIENCE_SECONDS)
        pipeline.start()
        await MemberCounts(Boards(settings), pipeline, metrics).refresh()
        await pipeline.stop()

    def members() -> float | None:
        labels = {"key": "lb:eu:solo:s1"}
        return metrics.registry.get_sample_value("leaderboard_board_members", labels)

    with valkey.client(DATABASE) as redis:
        redis.flushdb()
        redis.zadd("lb:eu:solo:s1", {"ann": 1, "bob": 2})
    asyncio.run(refresh(settings.redis_url))
    assert members() == 2

    asyncio.run(refresh(f"redis://127.0.0.1:{free_port()}"))
    told = members()

    assert told is not None
    assert math.isnan(told)
    ops = metrics.registry.get_sample_value(
        "leaderboard_key_ops_total", {"key": "lb:eu:solo:s1", "op": "read"}
    )
    assert ops is None


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (LedgerBusy("50,000 events already wait for the ledger."), b"1"),
        (LedgerFull("There is no room left."), b"5"),
        (LedgerClosed("The ledger is closed."), b"1"),
    ],
)
def test_a_ledger_that_takes_nothing_is_a_503(error: LedgerError, seconds: bytes) -> None:
    """Every way in which it can refuse says when to come back."""
    answer = problem_of(error, {}).answer()

    assert answer.status == 503
    assert (b"retry-after", seconds) in answer.start["headers"]
