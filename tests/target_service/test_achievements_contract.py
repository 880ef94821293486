"""The achievements' part of the OpenAPI document against the running service."""

from typing import Any

import pytest
import schemathesis
from achievements_client import COLUMNS, MEMBER_OPERATIONS, Achieving
from hypothesis import HealthCheck, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.core import NOT_SET
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

GOOD: dict[str, Any] = {
    "count": [{"event_id": "contract-1", "page_views": 500}],
    "reconcile": dict.fromkeys(COLUMNS, 60),
    "member": {"organization": "contract-org", "tracking_code": None},
}
NAMED = {
    "member_id": "contract",
    "organization_id": "contract-org",
    "night": "2026-09-06",
    "sweep": 1,
}


@pytest.fixture(scope="session")
def contract(achieving_running: Achieving) -> BaseSchema:
    """The document as a generator of requests."""
    return schemathesis.openapi.from_url(f"{achieving_running.http.base_url}/openapi.json")


@pytest.mark.parametrize(("method", "path"), MEMBER_OPERATIONS)
def test_good_requests_get_answers_of_the_documented_form(
    contract: BaseSchema, achieving: Achieving, method: str, path: str
) -> None:
    """Every operation's 200 fits its schema, and is what a good request gets."""
    achieving.enrol("contract", "contract-org")
    achieving.count("contract", signups=60).raise_for_status()
    achieving.sweep()
    body = GOOD.get(MEMBER_OPERATIONS[method, path])
    case = contract[path][method].Case(
        path_parameters={name: value for name, value in NAMED.items() if f"{{{name}}}" in path},
        body=NOT_SET if body is None else body,
        media_type=None if body is None else "application/json",
    )

    assert case.call_and_validate().status_code == 200


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), MEMBER_OPERATIONS)
def test_generated_requests_get_documented_answers(
    contract: BaseSchema, method: str, path: str, mode: GenerationMode
) -> None:
    """Valid and invalid requests: no 500, documented statuses, answers that fit their schemas."""
    operation = contract[path][method]
    has_input = operation.body or operation.query or operation.path_parameters

    @given(case=operation.as_strategy(mode if has_input else GenerationMode.POSITIVE))
    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
    def call(case: Case[Any]) -> None:
        # What JSON Schema cannot say: 5.0 is no integer here, a funnel narrows, nights end in 9000.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    call()
