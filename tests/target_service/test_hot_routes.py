"""How the routes under load are told apart."""

import asyncio
import json

import pytest
from starlette.types import Message, Receive, Scope, Send

from target_service.answers import Answer, answer
from target_service.call import Call
from target_service.gate import Gate
from target_service.hot_routes import HotRoutes
from target_service.metrics import Metrics
from target_service.operation import Operation
from target_service.request_times import RequestTimes
from target_service.settings import Settings

ROUTES = (
    ("put_thing", "PUT", "/v1/things/{id}"),
    ("read_thing", "GET", "/v1/things/{id}"),
    ("all_things", "GET", "/v1/things/all"),
    ("other_thing", "GET", "/v2/things/{id}"),
    ("add_part", "POST", "/v1/things/{id}/parts"),
    ("set_part", "PUT", "/v1/things/{id}/parts"),
)


class Named:
    """Answers with its own name."""

    def __init__(self, name: str, method: str, path: str) -> None:
        self.operation = Operation(name, method, path, name, None)

    async def __call__(self, call: Call) -> Answer:
        """Answer with the name and the last segment."""
        return answer(json.dumps([self.operation.name, call.segments[-1].decode()]).encode())


async def _behind(_: Scope, __: Receive, send: Send) -> None:
    for message in (answer(b'["behind"]').start, answer(b'["behind"]').body):
        await send(message)


def _call(method: str, path: str) -> tuple[int, dict[bytes, bytes], object]:
    handlers = [Named(*route) for route in ROUTES]
    gate = Gate(Settings(mode="naive"))
    routes = HotRoutes(handlers, _behind, RequestTimes(Metrics()), gate)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
    }
    asyncio.run(routes(scope, receive, send))
    start, body = sent
    return start["status"], dict(start["headers"]), json.loads(body["body"])


@pytest.mark.parametrize(
    ("method", "path", "told"),
    [
        ("PUT", "/v1/things/a", ["put_thing", "a"]),
        ("GET", "/v1/things/a", ["read_thing", "a"]),
        ("GET", "/v1/things/all", ["all_things", "all"]),
        ("HEAD", "/v1/things/all", ["all_things", "all"]),
        ("GET", "/v2/things/all", ["other_thing", "all"]),
        ("POST", "/v1/things/a/parts", ["add_part", "parts"]),
        ("PUT", "/v1/things/a/parts", ["set_part", "parts"]),
        ("GET", "/v1/others/a", ["behind"]),
        ("GET", "/v1/things", ["behind"]),
        ("GET", "/v1/things/a/wholes", ["behind"]),
    ],
)
def test_a_route_is_found_by_method_and_path(method: str, path: str, told: list[str]) -> None:
    """A fixed last segment comes before a named one, and what fits nowhere is passed on."""
    assert (200, told) == _call(method, path)[::2]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/v1/things/a", b"PUT, GET, HEAD"),
        ("GET", "/v1/things/a/parts", b"POST, PUT"),
        ("PUT", "/v1/things/all", b"GET, HEAD"),
    ],
)
def test_a_wrong_method_is_told_every_right_one(method: str, path: str, allowed: bytes) -> None:
    """405 lists all methods of the path."""
    status, headers, _ = _call(method, path)

    assert (405, allowed) == (status, headers[b"allow"])
