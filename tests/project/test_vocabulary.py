"""One word for one thing: route = Locust name = metric label = report row = dashboard legend."""

import ast
import asyncio
import csv
import json
import re
from pathlib import Path

import httpx

from lab.calibration.proposal import event_lines
from lab.calibration.totals import EndedEvent
from target_service.app import create_app
from target_service.odometer.event import Tier, states
from target_service.settings import Settings
from workload.assumptions import Assumptions
from workload.model import TrafficModel
from workload.operations import MODELLED
from workload.operations import OPERATIONS as LOADED

ROOT = Path(__file__).resolve().parents[2]
LEADERBOARD = {"submit", "submit_batch", "top", "partition_top", "around", "rank", "describe"}
ODOMETER = {"put_event", "join", "races"} | {
    *("event_versions", "event_v1", "event_v2", "event_player"),
}
ACHIEVEMENTS = {"count", "reconcile", "member", "reconcile_complete"} | {
    *("achievements", "pending", "colleagues", "sweep", "sweep_state"),
}
OPERATIONS = LEADERBOARD | ODOMETER | ACHIEVEMENTS
USERS = {
    "ScoreWriter": "submit",
    "TopKReader": "top",
    "AroundMeReader": "around",
    "ExactRankReader": "rank_exact",
    "BoundedRankReader": "rank_bounded",
    "OldEventPoller": "event_v1",
    "EventPoller": "event_v2",
    "EventPlayerReader": "event_player",
    "Racer": "races",
    "CounterWriter": "count",
    "AchievementsReader": "achievements",
    "ColleaguesReader": "colleagues",
}
# Two operations on one route, told apart by what the reader accepts.
ROUTES = {"rank_exact": "rank", "rank_bounded": "rank"}
PLUMBING = {"healthz", "readyz", "metrics"}


def _named(words: str) -> set[str]:
    return set(words.split("|")) - {"$operation", ""}


async def _openapi(settings: Settings) -> bytes:
    transport = httpx.ASGITransport(create_app(settings))
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        return (await client.get("/openapi.json")).content


def test_the_service_names_its_routes_so() -> None:
    """The operation ids of the OpenAPI schema are the operations of the design."""
    settings = Settings(mode="naive", redis_url="redis://127.0.0.1:1/0")
    paths = json.loads(asyncio.run(_openapi(settings)))["paths"]
    named = {call["operationId"] for calls in paths.values() for call in calls.values()}

    assert OPERATIONS == named - PLUMBING


def test_the_model_names_its_rates_so() -> None:
    """The modelled mix is made of three of the operations; each loads a route of the service."""
    assert set(MODELLED) == set(TrafficModel(Assumptions()).operation_rates())
    assert OPERATIONS >= {ROUTES.get(name, name) for name in LOADED}


def test_locust_names_its_users_so() -> None:
    """Each user class replays the operation that it is named for in the design."""
    tree = ast.parse((ROOT / "locustfiles" / "users.py").read_text())
    found = {
        node.name: assigned.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for assigned in node.body
        if isinstance(assigned, ast.Assign) and isinstance(assigned.value, ast.Constant)
        if isinstance(assigned.targets[0], ast.Name) and assigned.targets[0].id == "operation"
    }

    assert USERS == found
    assert list(LOADED) == list(USERS.values())


def test_reports_name_their_rows_so() -> None:
    """The rows of the golden operations.csv are operations of the model, and `all`."""
    (golden, *_) = sorted((ROOT / "tests" / "reports" / "golden").rglob("operations.csv"))
    with golden.open(newline="") as lines:
        rows = [row["operation"] for row in csv.DictReader(lines)]

    assert [*MODELLED, "all"] == rows


def test_calibration_tells_of_tiers_so() -> None:
    """Each tier of an event is said to be what the service says of it, whatever the total."""
    tiers = (("bronze", 600_000), ("silver", 700_000), ("gold", 800_000))
    for total in (0, 599_999, 600_000, 624_836, 700_000, 799_999, 800_000):
        event = EndedEvent("autumn", "miles", total, 1, 1, 0, tiers)
        told = [line.split()[2].rstrip(",") for line in event_lines(event) if line[:2] == "  "]
        served = states(total, [Tier(*tier) for tier in tiers])

        assert [tier.status for tier in served] == told


def test_dashboards_ask_for_them_so() -> None:
    """Every route and operation in a dashboard's query is one of the operations."""
    texts = [path.read_text() for path in (ROOT / "dashboards" / "grafana" / "json").glob("*.json")]
    asked: set[str] = set()
    for text in texts:
        for panel_query in re.findall(r'"expr": "((?:[^"\\]|\\.)*)"', text):
            query = json.loads(f'"{panel_query}"')
            for words in re.findall(r'(?:route|operation)=~?"([^"]*)"', query):
                asked |= _named(words)

    assert asked
    assert OPERATIONS | set(LOADED) >= asked
