"""Good requests to spoil, and checks of the refusals that follow."""

from collections.abc import Mapping
from typing import Any

import httpx

EVENT: Mapping[str, Any] = {
    "event_id": "e-1",
    "player_id": "ann",
    "region": "eu",
    "mode": "solo",
    "season": "s1",
    "score": 1,
}
COLUMNS: Mapping[str, Any] = {"event_id": ["a", "b"], "player_id": ["ann", "bob"], "score": [1, 2]}


def check(answer: httpx.Response, status: int, slug: str) -> list[str]:
    """Check that this is the problem document, and return the fields it names."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:hotboard:problem:{slug}"
    assert problem["status"] == status
    return [error["field"] for error in problem.get("errors", [])]


def invalid(answer: httpx.Response) -> list[str]:
    """Check that this is a 422, and return the fields it names."""
    return check(answer, 422, "invalid-request")
