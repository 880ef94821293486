"""The docs' tables of routes and their examples are those of the service."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from achievements_client import MEMBER_OPERATIONS
from odometer_events import EVENT_OPERATIONS
from test_service_contract import OPERATIONS

from target_service.leaderboard.scores import ScoreColumns, ScoreEvent
from target_service.odometer.configuration import EventSettings
from target_service.odometer.race import read_races

DOCS = Path(__file__).parents[2] / "docs"
OF_EVERY_SERVICE = {"/healthz", "/readyz", "/metrics"}


def _unnamed(path: str) -> str:
    """A path whose parameters have no names, without its query."""
    return re.sub(r"\{[^}]+\}", "{}", path.partition("?")[0])


@pytest.mark.parametrize(
    ("page", "operations"),
    [
        ("reads.md", OPERATIONS),
        ("odometer.md", EVENT_OPERATIONS),
        ("achievements.md", MEMBER_OPERATIONS),
    ],
)
def test_every_route_has_its_row(page: str, operations: dict[tuple[str, str], str]) -> None:
    """Name, method and path, in the page of its system."""
    row = r"^\| `(\w+)` \| `([A-Z]+) (\S+)` \|"
    told = re.findall(row, (DOCS / page).read_text(), flags=re.MULTILINE)
    served = {
        (name, method, _unnamed(path))
        for (method, path), name in operations.items()
        if path not in OF_EVERY_SERVICE
    }

    assert served == {(name, method, _unnamed(path)) for name, method, path in told}


def _settings(body: bytes) -> object:
    return EventSettings.model_validate_json(body)


@pytest.mark.parametrize(
    ("page", "request_line", "read"),
    [
        ("odometer.md", "PUT /v1/events/autumn", _settings),
        ("odometer.md", "POST /v1/races", read_races),
        ("reads.md", "POST /v1/scores", ScoreEvent.model_validate_json),
        (
            "reads.md",
            "POST /v1/boards/eu/solo/s1/scores",
            ScoreColumns.model_validate_json,
        ),
    ],
)
def test_every_example_is_accepted(
    page: str, request_line: str, read: Callable[[bytes], object]
) -> None:
    """As it stands in the docs."""
    text = (DOCS / page).read_text()
    body = re.search(rf"^{request_line}\n(\{{.*?\}})\n(?:\n|```)", text, re.MULTILINE | re.DOTALL)

    assert body is not None
    assert read(body[1].encode())
