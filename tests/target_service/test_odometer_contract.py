"""The odometer's part of the OpenAPI document against the running service."""

from typing import Any

import pytest
import schemathesis
from event_service import HOUR_MS, EventService, now_ms
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from odometer_events import EVENT_OPERATIONS, race, settings
from schemathesis import Case, CheckFunction, GenerationMode
from schemathesis.core import NOT_SET
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import positive_data_acceptance

EVENT = "known"


@pytest.fixture(scope="module")
def contract(service: EventService) -> BaseSchema:
    """The document as a generator of requests, of a service that has one event."""
    http = service.durable.http
    at_ms = now_ms()
    body = settings(at_ms - HOUR_MS, at_ms + HOUR_MS)
    http.put(f"/v1/events/{EVENT}", json=body).raise_for_status()
    return schemathesis.openapi.from_url(f"{http.base_url}/openapi.json")


@pytest.mark.parametrize(("method", "path"), EVENT_OPERATIONS)
def test_good_requests_get_answers_of_the_documented_form(
    contract: BaseSchema, method: str, path: str
) -> None:
    """Every operation's 200 fits its schema, and is what a good request gets."""
    operation = contract[path][method]
    name = "new" if method == "PUT" else EVENT
    places = {"event_id": name, "player_id": "ann"}
    bodies: dict[str, Any] = {"put_event": settings(), "races": [race(EVENT, "r", 0)]}
    body = bodies.get(EVENT_OPERATIONS[method, path])
    case = operation.Case(
        path_parameters={place: value for place, value in places.items() if f"{{{place}" in path},
        body=body or NOT_SET,
        media_type="application/json" if body else None,
    )

    assert case.call_and_validate().status_code == 200


@pytest.mark.parametrize("generated", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), EVENT_OPERATIONS)
def test_generated_requests_get_documented_answers(
    contract: BaseSchema, method: str, path: str, generated: GenerationMode
) -> None:
    """Valid and invalid requests: no 500, documented statuses, answers that fit their schemas."""
    operation = contract[path][method]
    has_input = operation.body or operation.query or operation.path_parameters
    mode = generated if has_input else GenerationMode.POSITIVE

    @given(case=operation.as_strategy(mode))
    @examples(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    def call(case: Case[Any]) -> None:
        # JSON Schema cannot say that a window has an inside, that tiers rise, or which events are.
        unjudged: list[CheckFunction] = (
            [positive_data_acceptance] if case.body is not NOT_SET else []
        )
        case.call_and_validate(excluded_checks=unjudged)

    call()
