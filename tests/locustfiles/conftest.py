"""Stub services for the tests of the load."""

from collections.abc import Callable, Iterator

import pytest
from locust_runs import Stub, start_stub


@pytest.fixture(scope="module")
def make_stub() -> Iterator[Callable[[], Stub]]:
    """Make stub services, which end with the tests of a file."""
    started: list[Stub] = []

    def make(behaviour: str = "well") -> Stub:
        stub = start_stub()
        started.append(stub)
        stub.behave(behaviour)
        return stub

    yield make
    for stub in started:
        stub.end()
