"""The load of a community event: what is asked, and how the answers are judged."""

import json
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from load_plans import RACES

from locustfiles.event_client import read_state
from locustfiles.http.dialer import read_address
from locustfiles.operations import make_operations
from locustfiles.operations.odometer import AcknowledgedMiles, EventPlayer, EventPoll, Races
from locustfiles.operations.places import Places
from locustfiles.run.plan import Plan
from locustfiles.schedule.arrival import Arrival

ADDRESS = read_address("http://service:8000")


def _plan(**rates: str) -> Plan:
    return replace(RACES, rates=rates) if rates else RACES


def _body(request: bytes) -> dict[str, Any]:
    head, _, body = request.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}" in head.decode()
    document: dict[str, Any] = json.loads(body)
    return document


def _arrival(number: int, player: int = 0, score: int = 4) -> Arrival:
    return Arrival(number, 0, player, score)


def _counts(**counts: int) -> bytes:
    every = dict.fromkeys(("counted", "duplicate", "conflict", "outside", "late"), 0)
    return json.dumps({"counts": every | counts}).encode()


def test_one_delivery_in_twenty_is_an_earlier_one() -> None:
    """Word for word; the others are races of their own, finished just now or long ago."""
    plan = _plan()
    races = Races(plan, ADDRESS, Places(plan), AcknowledgedMiles())
    before = datetime.now(UTC)
    sent = [_body(races.request(_arrival(n, n % 7, n % 10_001))) for n in range(2_000)]
    times = Counter(one["race_id"] for one in sent)
    first = {one["race_id"]: one for one in reversed(sent)}
    ages = [before - datetime.fromisoformat(one["finished_at"]) for one in first.values()]

    assert sum(times.values()) - len(times) == 100
    assert all(one == first[one["race_id"]] for one in sent)
    assert {1 <= one["amounts"]["miles"] <= 30 for one in sent} == {True}
    late = sum(age > timedelta(milliseconds=5) for age in ages)
    assert 0 < late <= 40
    assert max(ages) <= timedelta(seconds=plan.duration_seconds / 4)


@pytest.mark.parametrize(
    ("status", "body", "failure", "expected"),
    [
        (200, _counts(counted=1), None, "counted"),
        (200, _counts(late=1), None, "late"),
        (200, _counts(), "bad_body", None),
        (200, _counts(counted=1, late=1), "bad_body", None),
        (200, _counts(counted=2), "bad_body", None),
        (200, b"{}", "bad_body", None),
        (503, b"{}", "http_5xx", None),
        (422, b"{}", "http_4xx", None),
    ],
)
def test_a_delivery_has_one_outcome(
    status: int, body: bytes, failure: str | None, expected: str | None
) -> None:
    """Anything else is no answer to one delivery."""
    plan = _plan()
    races = Races(plan, ADDRESS, Places(plan), AcknowledgedMiles())
    races.request(_arrival(1))
    reply = races.judge(_arrival(1), status, body)

    assert (reply.failure, reply.status) == (failure, expected)


def _player(contribution: int, **changed: object) -> bytes:
    answer = {
        "player": "player-00003",
        "joined": True,
        "contribution": contribution,
        "eligible": contribution > 0,
    }
    return json.dumps(answer | changed).encode()


@pytest.mark.parametrize("outcome", ["counted", "late"])
def test_acknowledged_miles_must_be_read(outcome: str) -> None:
    """Miles that were counted before the read was sent, in time or late, in every answer to it."""
    plan, acknowledged = _plan(), AcknowledgedMiles()
    races = Races(plan, ADDRESS, Places(plan), acknowledged)
    reader = EventPlayer(plan, ADDRESS, Places(plan), acknowledged)
    race = _arrival(1, player=3, score=4)
    reader.request(_arrival(10, player=3))
    races.request(race)
    races.judge(race, 200, _counts(**{outcome: 1}))
    reader.request(_arrival(11, player=3))
    early = reader.judge(_arrival(10, player=3), 200, _player(0))
    behind = reader.judge(_arrival(11, player=3), 200, _player(4))
    reader.request(_arrival(12, player=3))
    seen = reader.judge(_arrival(12, player=3), 200, _player(5))

    assert [one.status for one in (early, behind, seen)] == [
        "own writes seen",
        "behind",
        "own writes seen",
    ]


@pytest.mark.parametrize(
    ("body", "failure", "expected"),
    [
        (_player(5, eligible=False), None, "behind"),
        (_player(5, joined=False, eligible=False), None, "own writes seen"),
        (_player(5, player="player-00004"), "bad_body", None),
        (b"[]", "bad_body", None),
    ],
)
def test_who_joined_and_raced_is_eligible(
    body: bytes, failure: str | None, expected: str | None
) -> None:
    """An answer that contradicts itself is behind; one about another player is none."""
    plan = _plan()
    reader = EventPlayer(plan, ADDRESS, Places(plan), AcknowledgedMiles())
    reader.request(_arrival(1, player=3))
    reply = reader.judge(_arrival(1, player=3), 200, body)

    assert (reply.failure, reply.status) == (failure, expected)


def _state(age_seconds: float, **changed: object) -> bytes:
    as_of = datetime.now(UTC) - timedelta(seconds=age_seconds)
    state = {"event_id": "run", "state": "open", "total": 5, "tier": None}
    state["as_of"] = as_of.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps(state | changed).encode()


def test_a_poll_notes_how_old_the_total_is() -> None:
    """By the clock of the load generator; a total from the future is as fresh as can be."""
    poll = EventPoll(1, _plan(), ADDRESS)
    began = time.monotonic()
    old = poll.judge(_arrival(1), 200, _state(2))
    took = time.monotonic() - began
    early = poll.judge(_arrival(1), 200, _state(-5))

    assert old.age_us is not None
    assert 2_000_000 <= old.age_us <= 2_002_000 + took * 1_000_000
    assert (old.status, early.age_us) == ("open", 0)


def test_no_total_goes_back() -> None:
    """A total below one that either build read before the poll was sent is behind."""
    acknowledged = AcknowledgedMiles()
    old, new = (EventPoll(version, _plan(), ADDRESS, acknowledged) for version in (1, 2))
    later: dict[str, Any] = {"tiers": [], "capabilities": [], "final": None}
    later["aggregate"] = {"unit": "mile"}
    old.request(_arrival(1))
    old.request(_arrival(2))
    first = old.judge(_arrival(1), 200, _state(0, total=7))
    new.request(_arrival(3))
    sent_before = old.judge(_arrival(2), 200, _state(0, total=5))
    less = new.judge(_arrival(3), 200, _state(0, total=6, **later))

    assert [one.status for one in (first, sent_before, less)] == ["open", "open", "behind"]
    assert less.age_us is not None

    # Each operation numbers its arrivals for itself.
    fresh = AcknowledgedMiles()
    old, new = (EventPoll(version, _plan(), ADDRESS, fresh) for version in (1, 2))
    old.request(_arrival(1))
    old.request(_arrival(2))
    old.judge(_arrival(1), 200, _state(0, total=7))
    new.request(_arrival(2))

    assert old.judge(_arrival(2), 200, _state(0, total=5)).status == "open"


@pytest.mark.parametrize(
    ("version", "closed", "final"),
    [
        (1, {"state": "open"}, {"state": "closed"}),
        (2, {"state": "closed", "final": None}, {"state": "closed", "final": {"total": 5}}),
    ],
)
def test_a_final_total_has_no_age(
    version: int, closed: dict[str, object], final: dict[str, object]
) -> None:
    """It can change no more, however long ago it was read; before the end it can."""
    poll = EventPoll(version, _plan(), ADDRESS)
    later = {"aggregate": {"unit": "mile"}, "tiers": [], "capabilities": []}
    replies = [poll.judge(_arrival(1), 200, _state(60, **later, **one)) for one in (closed, final)]

    assert [(one.failure, one.age_us is None) for one in replies] == [(None, False), (None, True)]
    end = read_state(version, _state(60, **later, **final))
    assert end.staleness_seconds(datetime.now(UTC)) == 0.0


def test_each_build_asks_in_its_version() -> None:
    """And takes no answer of another one, or about another event."""
    plan = _plan(event_v1="1", event_v2="1", races="1", event_player="1")
    operations = make_operations(plan, ADDRESS)
    old, new = operations["event_v1"], operations["event_v2"]

    assert list(operations) == ["event_v1", "event_v2", "races", "event_player"]
    assert old.request(_arrival(1)).startswith(b"GET /v1/events/run HTTP/1.1\r\n")
    assert new.request(_arrival(1)).startswith(b"GET /v2/events/run HTTP/1.1\r\n")
    assert new.judge(_arrival(1), 200, _state(0)).failure == "bad_body"
    assert old.judge(_arrival(1), 200, _state(0, event_id="x")).failure == "bad_body"
    assert old.judge(_arrival(1), 404, b"").failure == "http_4xx"
