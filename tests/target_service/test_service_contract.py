"""The OpenAPI document against the running service: what is documented is what happens."""

from itertools import chain
from typing import Any

import pytest
import schemathesis
from achievements_client import MEMBER_OPERATIONS
from hypothesis import HealthCheck, given, settings
from leaderboard_client import HOME, Leaderboard, event
from odometer_events import EVENT_OPERATIONS
from schemathesis import Case, CheckFunction, GenerationMode
from schemathesis.core import NOT_SET
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

COLUMNS = {"event_id": ["a", "b"], "player_id": ["dan", "eve"], "score": [1, 2]}
OPERATIONS = {
    ("POST", "/v1/scores"): "submit",
    ("POST", "/v1/boards/{region}/{mode}/{season}/scores"): "submit_batch",
    ("GET", "/v1/top"): "top",
    ("GET", "/v1/boards/{region}/{mode}/{season}/top"): "partition_top",
    ("GET", "/v1/boards/{region}/{mode}/{season}/players/{player_id}/around"): "around",
    ("GET", "/v1/boards/{region}/{mode}/{season}/players/{player_id}/rank"): "rank",
    ("GET", "/v1/boards"): "describe",
    ("GET", "/healthz"): "healthz",
    ("GET", "/readyz"): "readyz",
    ("GET", "/metrics"): "metrics",
}


def test_every_operation_is_documented(leaderboard: Leaderboard) -> None:
    """Method, path and name: the leaderboard's, the odometer's and the achievements'."""
    document = leaderboard.http.get("/openapi.json").json()

    told = {
        (method.upper(), path): operation["operationId"]
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert told == OPERATIONS | EVENT_OPERATIONS | MEMBER_OPERATIONS


def test_the_documentation_page_is_served(leaderboard: Leaderboard) -> None:
    """A person can read it too."""
    assert leaderboard.http.get("/docs").status_code == 200


@pytest.fixture(scope="session")
def contract(running: Leaderboard) -> BaseSchema:
    """The document as a generator of requests, read once per mode."""
    return schemathesis.openapi.from_url(f"{running.http.base_url}/openapi.json")


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_good_requests_get_answers_of_the_documented_form(
    contract: BaseSchema, leaderboard: Leaderboard, method: str, path: str
) -> None:
    """Every operation's 200 fits its schema, and is what a good request gets."""
    leaderboard.load({"ann": 1, "bob": 2, "cid": 3})
    operation = contract[path][method]
    body = {"submit": event("ann", 5), "submit_batch": COLUMNS}.get(OPERATIONS[method, path])
    places = dict(zip(("region", "mode", "season"), HOME, strict=True)) if "{" in path else {}
    case = operation.Case(
        path_parameters={**places, "player_id": "ann"} if "player_id" in path else places,
        body=body or NOT_SET,
        media_type="application/json" if body else None,
    )

    assert case.call_and_validate().status_code == 200


@pytest.mark.parametrize("generated", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_generated_requests_get_documented_answers(
    contract: BaseSchema, method: str, path: str, generated: GenerationMode
) -> None:
    """Valid and invalid requests: no 500, documented statuses, answers that fit their schemas."""
    operation = contract[path][method]
    has_input = operation.body or operation.query or operation.path_parameters
    mode = generated if has_input else GenerationMode.POSITIVE

    @given(case=operation.as_strategy(mode))
    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    def call(case: Case[Any]) -> None:
        if mode is GenerationMode.POSITIVE:
            _send_home(case)
        case.call_and_validate(excluded_checks=_unjudged(case.body))

    call()


def _send_home(case: Case[Any]) -> None:
    """Name a board that exists, which random names would hardly ever hit."""
    for fields in (case.path_parameters, case.body):
        if isinstance(fields, dict) and "region" in fields:
            fields |= dict(zip(("region", "mode", "season"), HOME, strict=True))


def _unjudged(body: object) -> list[CheckFunction]:
    """What JSON Schema cannot say: 5.0 is no integer here, and columns are equally long."""
    if not isinstance(body, dict):
        return []
    columns = [value for value in body.values() if isinstance(value, list)]
    numbers = [*body.values(), *chain.from_iterable(columns)]
    is_uneven = len(set(map(len, columns))) > 1
    if is_uneven or any(isinstance(value, float) for value in numbers):
        return [positive_data_acceptance]
    return []
