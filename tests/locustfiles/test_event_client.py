"""The client of community events: it negotiates, falls back, and ignores what it does not know."""

import json
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flooding_service import flooding_service

from locustfiles.event_client import (
    EventClient,
    EventClientError,
    NoCommonVersion,
    ServiceTrouble,
    UnknownEvent,
    UrlTransport,
    chosen_version,
    read_state,
)

AS_OF = datetime(2026, 12, 1, 0, 0, 0, 123_000, UTC)
V1: Mapping[str, Any] = {
    "event_id": "e",
    "state": "open",
    "opens_at": "2026-11-30T00:00:00.000Z",
    "closes_at": "2026-12-03T00:00:00.000Z",
    "total": 624_836,
    "tier": "bronze",
    "as_of": "2026-12-01T00:00:00.123Z",
}
V2: Mapping[str, Any] = {
    **V1,
    "version": 2,
    "capabilities": ["tiers"],
    "aggregate": {"field": "miles", "kind": "sum", "unit": "mile"},
    "tiers": [{"name": "silver", "threshold": 700_000, "status": "locked", "missing": 75_164}],
    "final": None,
}
UNKNOWN = {"type": "urn:hotboard:problem:unknown-event"}
NO_ROUTE = {"type": "urn:hotboard:problem:unknown-route"}


class Service:
    """A service of any age: it offers versions, and may add unknown fields."""

    def __init__(self, versions: Collection[int], *, tells_versions: bool = True) -> None:
        self.versions = versions
        self.tells_versions = tells_versions
        self.more: dict[str, Any] = {}
        self.asked: list[str] = []

    def get(self, path: str) -> tuple[int, bytes]:
        """Answer as a service of these versions does."""
        self.asked.append(path)
        if path == "/v1/events/versions":
            versions = [{"version": one, "since": "today"} for one in self.versions]
            if self.tells_versions:
                return 200, json.dumps({"versions": versions, "news": 1}).encode()
            return 404, json.dumps(UNKNOWN).encode()
        version = int(path[2])
        if version not in self.versions:
            return 404, json.dumps(NO_ROUTE).encode()
        if not path.endswith("/e"):
            return 404, json.dumps(UNKNOWN).encode()
        return 200, json.dumps({**(V1 if version == 1 else V2), **self.more}).encode()


@pytest.mark.parametrize(
    ("caption", "reads", "offers", "spoken"),
    [
        ("both are new", (1, 2), (1, 2), 2),
        ("an old build on a new service", (1,), (1, 2), 1),
        ("a new build on an old service", (1, 2), (1,), 1),
        ("both will be newer than this", (1, 2), (2, 3), 2),
    ],
)
def test_the_newest_common_version_is_spoken(
    caption: str, reads: Collection[int], offers: Collection[int], spoken: int
) -> None:
    """It is read once, whichever side is older."""
    service = Service(offers)
    client = EventClient(service, reads)
    states = [client.event("e") for _ in range(3)]

    assert {(one.version, one.total, one.tier) for one in states} == {(spoken, 624_836, "bronze")}
    assert service.asked.count("/v1/events/versions") == 1, caption


def test_a_service_from_before_versions_is_spoken_to() -> None:
    """It does not know the question, so it speaks the first version."""
    assert EventClient(Service((1,), tells_versions=False)).event("e").version == 1


def test_a_service_that_has_restarted_is_followed() -> None:
    """The client asks again, and falls back; it does not ask for ever."""
    service = Service((1, 2))
    client = EventClient(service)
    before = client.event("e").version
    service.versions = (1,)
    after = client.event("e").version

    assert (before, after) == (2, 1)
    with pytest.raises(NoCommonVersion, match=r"offers versions \[1\], this build reads \[2\]"):
        EventClient(service, (2,)).event("e")
    gone = EventClient(Service((1,)), (1,))
    gone.event("e")
    gone._transport.versions = ()  # type: ignore[attr-defined]  # the test's own service
    with pytest.raises(EventClientError):
        gone.event("e")


def test_what_is_not_known_is_passed_over() -> None:
    """More fields, another state: an old build goes on."""
    service = Service((1, 2))
    service.more = {"state": "haunted", "weather": {"rain": [1]}}

    assert EventClient(service, (1,)).event("e").state == "haunted"
    assert EventClient(service).event("e").missing == {"silver": 75_164}


def test_the_newest_state_is_kept() -> None:
    """An answer from where less is known changes nothing, unless it is as old as a backup."""
    service = Service((1, 2))
    client = EventClient(service)
    states = []
    for seconds, total in ((0, 5), (-60, 1), (1, 7), (-0.5, 6), (0.999, 6), (-60, 2), (1, 3)):
        as_of = (AS_OF + timedelta(seconds=seconds)).isoformat()
        service.more = {"as_of": as_of, "total": total}
        states.append(client.event("e").total)

    assert states == [5, 5, 7, 7, 7, 2, 3]


def test_the_end_and_the_age_are_read() -> None:
    """In the first version by the state, in the second by what is final, which has no age."""
    closed = json.dumps({**V1, "state": "closed"}).encode()
    final = json.dumps({**V2, "final": {"total": 1}}).encode()
    state = read_state(2, final)

    assert read_state(1, closed).is_final
    assert state.is_final
    later = AS_OF + timedelta(seconds=1.5)
    assert read_state(2, json.dumps(V2).encode()).staleness_seconds(later) == 1.5
    assert state.staleness_seconds(later) == 0.0
    assert state.unit == "mile"
    assert state.capabilities == frozenset({"tiers"})


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{}", json.dumps({**V1, "total": "1"}).encode(), b'{"as_of": "soon"}'],
)
def test_an_answer_without_sense_is_trouble(body: bytes) -> None:
    """A promised field that is missing or of another type is not made up."""
    for version in (1, 2):
        with pytest.raises(ServiceTrouble):
            read_state(version, body)


@pytest.mark.parametrize(("status", "body"), [(503, b"{}"), (200, b"no"), (200, b"[]")])
def test_versions_that_cannot_be_read_are_trouble(status: int, body: bytes) -> None:
    """Nothing is assumed then."""
    with pytest.raises(ServiceTrouble):
        chosen_version((1, 2), status, body)


def test_an_unknown_event_is_an_error_of_its_own() -> None:
    """It is no reason to speak another version."""
    service = Service((1, 2))
    client = EventClient(service)
    client.event("e")
    with pytest.raises(UnknownEvent, match="no event gone"):
        client.event("gone")

    assert service.asked.count("/v1/events/versions") == 1


@pytest.mark.parametrize("kind", ["body", "small-chunks", "headers", "drip-body"])
def test_an_answer_that_never_ends_is_trouble(kind: str) -> None:
    """However fast or slowly it goes on; the client asks again later."""
    with flooding_service() as url:
        client = EventClient(UrlTransport(f"{url}/{kind}", timeout_seconds=0.3))

        with pytest.raises(ServiceTrouble, match="does not answer"):
            client.event("autumn")
