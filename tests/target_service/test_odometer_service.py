"""The odometer over HTTP: events, joins, deliveries and reads of a running service."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from durable_service import Durable, durable_service, eventually
from leaderboard_client import Leaderboard
from odometer_events import race, settings
from problem_checks import check, invalid
from valkey_process import ValkeyProcess

HOUR_MS = 3_600_000
COUNTED = {"counted": 1, "duplicate": 0, "conflict": 0, "outside": 0, "late": 0}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Durable]:
    """A service with a ledger; each test makes an event of its own."""
    folder = tmp_path_factory.mktemp("odometer")
    valkey = ValkeyProcess(folder)
    valkey.start()
    with durable_service("partitioned", valkey, folder) as durable:
        yield durable
    valkey.stop()


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _make(service: Durable, **changed: object) -> str:
    """Make an event that is open for an hour, unless changed."""
    event_id = uuid4().hex
    now_ms = _now_ms()
    body = settings(now_ms - HOUR_MS, now_ms + HOUR_MS) | changed
    answer = service.http.put(f"/v1/events/{event_id}", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["status"] == "made"
    return event_id


def _get(service: Durable, path: str) -> dict[str, Any]:
    answer = service.http.get(path)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_a_player_reads_the_own_write_at_once(service: Durable) -> None:
    """Contribution and eligibility come from where they were written, twenty times in a row."""
    event_id = _make(service)
    path = f"/v2/events/{event_id}/players/ann"
    service.http.post(f"/v1/events/{event_id}/players/ann/join")

    for raced in range(1, 21):
        service.http.post("/v1/races", json=race(event_id, f"r{raced}", _now_ms()))
        told = _get(service, path)

        assert (told["contribution"], told["races"], told["eligible"]) == (5 * raced, raced, True)


def test_joined_and_raced_both(service: Durable) -> None:
    """Only who did both is eligible; whoever did neither is told so, not refused."""
    event_id = _make(service)
    for player in ("ann", "idle"):
        service.http.post(f"/v1/events/{event_id}/players/{player}/join")
    bodies = [race(event_id, who, _now_ms(), player=who) for who in ("ann", "stranger")]
    service.http.post("/v1/races", json=bodies)

    told = {
        player: _get(service, f"/v2/events/{event_id}/players/{player}")
        for player in ("ann", "idle", "stranger", "nobody")
    }
    assert {player: (t["joined"], t["contribution"]) for player, t in told.items()} == {
        "ann": (True, 5),
        "idle": (True, 0),
        "stranger": (False, 5),
        "nobody": (False, 0),
    }
    assert [player for player, t in told.items() if t["eligible"]] == ["ann"]


def test_sending_again_changes_nothing_and_is_no_error(service: Durable) -> None:
    """One or many in a request: counts, and where those are that did not count."""
    event_id = _make(service)
    first = race(event_id, "r", _now_ms())
    alone = service.http.post("/v1/races", json=first)
    other = first | {"amounts": {"miles": 6}}
    outside = race(event_id, "old", _now_ms() - 2 * HOUR_MS)
    many = service.http.post("/v1/races", json=[first, other, outside, race(event_id, "s", 0)])

    assert (alone.status_code, alone.json()["counts"]) == (200, COUNTED)
    assert many.status_code == 200
    assert many.json() == {
        "counts": {"counted": 0, "duplicate": 1, "conflict": 1, "outside": 2, "late": 0},
        "not_counted": {"duplicate": [0], "conflict": [1], "outside": [2, 3], "late": []},
    }
    assert eventually(lambda: _get(service, f"/v2/events/{event_id}")["total"] == 5)


def test_joining_twice_is_joining_once(service: Durable) -> None:
    """And nobody joins an event whose window has closed."""
    event_id = _make(service)
    path = f"/v1/events/{event_id}/players/ann/join"
    first, again = service.http.post(path), service.http.post(path)
    over = _make(service, closes_at=settings(0, _now_ms() - 1)["closes_at"])

    assert first.json()["status"] == "joined"
    assert again.json() == first.json() | {"status": "already_joined"}
    check(service.http.post(f"/v1/events/{over}/players/ann/join"), 409, "event-over")


def test_a_whole_event(service: Durable) -> None:
    """It opens and closes by itself; the result is the same ever after, the reward is earned."""
    now_ms = _now_ms()
    tiers = [{"name": "bronze", "threshold": 5}, {"name": "silver", "threshold": 6}]
    window = settings(now_ms + 300, now_ms + 900, grace_seconds=1, tiers=tiers)
    event_id = _make(service, **window)
    states = [_get(service, f"/v1/events/{event_id}")["state"]]
    service.http.post(f"/v1/events/{event_id}/players/ann/join")
    inside = race(event_id, "r", now_ms + 500)
    service.http.post("/v1/races", json=inside)

    def closed() -> bool:
        state = _get(service, f"/v2/events/{event_id}")["state"]
        if state != states[-1]:
            states.append(state)
        return bool(state == "closed")

    assert eventually(closed)
    final = _get(service, f"/v2/events/{event_id}")["final"]
    late = service.http.post("/v1/races", json=[inside, race(event_id, "late", now_ms + 500)])
    player = _get(service, f"/v2/events/{event_id}/players/ann")

    assert states == ["scheduled", "open", "closing", "closed"]
    assert (final["total"], final["tier"], final["eligible"]) == (5, "bronze", 1)
    assert late.json()["counts"] == COUNTED | {"counted": 0, "duplicate": 1, "late": 1}
    assert (player["reward"], player["contribution"]) == ("bronze", 5)
    assert eventually(lambda: _get(service, f"/v2/events/{event_id}")["late"] == 1)
    assert _get(service, f"/v2/events/{event_id}")["final"] == final


def test_an_event_is_put_before_it_opens(service: Durable) -> None:
    """The same again is no change; an open one keeps window and tiers, and all keep the sum."""
    now_ms = _now_ms()
    event_id = _make(service, **settings(now_ms + HOUR_MS, now_ms + 2 * HOUR_MS))
    path = f"/v1/events/{event_id}"
    body = settings(now_ms + HOUR_MS, now_ms + 2 * HOUR_MS)
    same = service.http.put(path, json=body)
    changed = service.http.put(path, json=body | {"tiers": []})
    wins = {"field": "wins", "kind": "count", "unit": "win"}

    assert same.json()["status"] == "unchanged"
    assert (changed.json()["status"], changed.json()["settings"]["tiers"]) == ("changed", [])
    check(service.http.put(path, json=body | {"aggregate": wins}), 409, "event-opened")
    opened = _make(service)
    check(service.http.put(f"/v1/events/{opened}", json=body), 409, "event-opened")
    assert service.http.delete(path).status_code == 405
    assert service.http.put("/v1/events/versions", json=body).status_code == 405


@pytest.mark.parametrize("amount", [0, -1, 1_000_001, 1.0, 1.5, "5", True, None, 2**70])
def test_amounts_are_whole_and_positive(service: Durable, amount: object) -> None:
    """Zero, negative, huge and broken ones are refused, and the field is named."""
    bad = race("e", "r", 0) | {"amounts": {"miles": amount}}

    assert invalid(service.http.post("/v1/races", json=bad)) == ["amounts.miles"]


def test_bad_deliveries_are_refused_as_a_whole(service: Durable) -> None:
    """Every problem with its index; an unknown event or a missing field is one too."""
    event_id = _make(service)
    good = race(event_id, "r", _now_ms())
    bad = [good, good | {"race_id": ""}, {"colour": 1}, 5]
    unfit = [good, race("no-such", "r", 0), good | {"amounts": {"wins": 1}}]

    assert invalid(service.http.post("/v1/races", json=bad)) == [
        "[1].race_id",
        *(f"[2].{name}" for name in ("event_id", "race_id", "player_id", "finished_at")),
        "[2].colour",
        "[2].amounts",
        "[3]",
    ]
    assert invalid(service.http.post("/v1/races", json=unfit)) == [
        "[1].event_id",
        "[2].amounts.miles",
    ]
    for body in (b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"null"):
        assert invalid(service.http.post("/v1/races", content=body)) == ["body"]
    assert _get(service, f"/v2/events/{event_id}/players/ann")["contribution"] == 0


def test_what_is_not_there_is_a_404(service: Durable) -> None:
    """An event nobody made, on every route; a version that is not served."""
    for method, path in [
        ("GET", "/v1/events/none"),
        ("GET", "/v2/events/none"),
        ("GET", "/v2/events/none/players/ann"),
        ("POST", "/v1/events/none/players/ann/join"),
    ]:
        check(service.http.request(method, path), 404, "unknown-event")
    check(service.http.get("/v3/events/none"), 404, "unknown-route")


def test_ids_follow_the_rules_of_all_ids(service: Durable) -> None:
    """Normalised to NFC, percent-encoded in paths; a bad one and a stray query are named."""
    body = settings()
    made = service.http.put("/v1/events/caf%C3%A9", json=body)
    again = service.http.put("/v1/events/cafe%CC%81", json=body)

    assert (made.json()["status"], again.json()["status"]) == ("made", "unchanged")
    assert invalid(service.http.get("/v2/events/%00?x=1")) == ["x", "event_id"]
    path = "/v2/events/%FF/players/%2F"
    assert invalid(service.http.get(path)) == ["event_id", "player_id"]


def test_the_versions_are_told(service: Durable) -> None:
    """Oldest first, with where each is served."""
    assert _get(service, "/v1/events/versions") == {
        "versions": [
            {"version": 1, "path": "/v1/events/{event_id}"},
            {"version": 2, "path": "/v2/events/{event_id}"},
        ],
        "newest": 2,
    }
    described = _get(service, "/v1/boards")
    assert described["capabilities"]["community_events"] is True


def test_what_became_of_deliveries_is_counted(service: Durable) -> None:
    """By outcome, each delivery once."""
    event_id = _make(service)
    names = ("counted", "duplicate", "conflict", "outside", "late")
    before = [service.sample("odometer_deliveries_total", name) for name in names]
    first = race(event_id, "r", _now_ms())
    other = first | {"player_id": "bob"}
    service.http.post("/v1/races", json=[first, first, first, other, race(event_id, "o", 0)])
    after = [service.sample("odometer_deliveries_total", name) for name in names]

    assert [a - b for a, b in zip(after, before, strict=True)] == [1, 2, 1, 1, 0]
    assert service.sample("odometer_drift") == 0


def test_without_a_ledger_the_odometer_says_so(leaderboard: Leaderboard) -> None:
    """Every route of it, and the description."""
    for method, path in [
        ("PUT", "/v1/events/e"),
        ("GET", "/v1/events/e"),
        ("GET", "/v2/events/e"),
        ("GET", "/v2/events/e/players/ann"),
        ("POST", "/v1/events/e/players/ann/join"),
        ("POST", "/v1/races"),
        ("GET", "/v1/events/versions"),
    ]:
        check(leaderboard.http.request(method, path), 503, "ledger-required")
    described = leaderboard.http.get("/v1/boards").json()
    assert described["capabilities"]["community_events"] is False


def test_a_file_of_events_is_put_at_the_start(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """They are there before the first request."""
    (path := tmp_path / "events.toml").write_text(
        "[events.autumn]\nopens_at = 2026-11-30T00:00:00Z\ncloses_at = 2026-12-03T00:00:00Z\n"
        'aggregate = { field = "longest", kind = "max", unit = "mile" }\n'
    )
    with durable_service("naive", own_valkey, tmp_path, HOTBOARD_EVENTS_PATH=str(path)) as durable:
        told = _get(durable, "/v2/events/autumn")

    assert told["aggregate"] == {"field": "longest", "kind": "max", "unit": "mile"}
