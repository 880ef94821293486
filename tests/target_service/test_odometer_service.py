"""The odometer over HTTP: events, joins, deliveries and reads of a running service."""

from pathlib import Path

from durable_service import durable_service, eventually
from event_service import HOUR_MS, EventService, now_ms
from odometer_events import race, settings
from problem_checks import check, invalid
from valkey_process import ValkeyProcess

COUNTED = {"counted": 1, "duplicate": 0, "conflict": 0, "outside": 0, "late": 0}


def test_a_player_reads_the_own_write_at_once(service: EventService) -> None:
    """Contribution and eligibility come from where they were written, twenty times in a row."""
    event_id = service.make()
    path = f"/v2/events/{event_id}/players/ann"
    service.durable.http.post(f"/v1/events/{event_id}/players/ann/join")

    for raced in range(1, 21):
        service.durable.http.post("/v1/races", json=race(event_id, f"r{raced}", now_ms()))
        told = service.get(path)

        assert (told["contribution"], told["races"], told["eligible"]) == (5 * raced, raced, True)


def test_joined_and_raced_both(service: EventService) -> None:
    """Only who did both is eligible; whoever did neither is told so, not refused."""
    event_id = service.make()
    for player in ("ann", "idle"):
        service.durable.http.post(f"/v1/events/{event_id}/players/{player}/join")
    bodies = [race(event_id, who, now_ms(), player=who) for who in ("ann", "stranger")]
    service.durable.http.post("/v1/races", json=bodies)

    told = {
        player: service.get(f"/v2/events/{event_id}/players/{player}")
        for player in ("ann", "idle", "stranger", "nobody")
    }
    assert {player: (t["joined"], t["contribution"]) for player, t in told.items()} == {
        "ann": (True, 5),
        "idle": (True, 0),
        "stranger": (False, 5),
        "nobody": (False, 0),
    }
    assert [player for player, t in told.items() if t["eligible"]] == ["ann"]


def test_sending_again_changes_nothing_and_is_no_error(service: EventService) -> None:
    """One or many in a request: counts, and where those are that did not count."""
    event_id = service.make()
    first = race(event_id, "r", now_ms())
    alone = service.durable.http.post("/v1/races", json=first)
    other = first | {"amounts": {"miles": 6}}
    outside = race(event_id, "old", now_ms() - 2 * HOUR_MS)
    many = service.durable.http.post(
        "/v1/races", json=[first, other, outside, race(event_id, "s", 0)]
    )

    assert (alone.status_code, alone.json()["counts"]) == (200, COUNTED)
    assert many.status_code == 200
    assert many.json() == {
        "counts": {"counted": 0, "duplicate": 1, "conflict": 1, "outside": 2, "late": 0},
        "not_counted": {"duplicate": [0], "conflict": [1], "outside": [2, 3], "late": []},
    }
    assert eventually(lambda: service.get(f"/v2/events/{event_id}")["total"] == 5)


def test_joining_twice_is_joining_once(service: EventService) -> None:
    """And nobody joins an event whose window has closed."""
    event_id = service.make()
    path = f"/v1/events/{event_id}/players/ann/join"
    first, again = service.durable.http.post(path), service.durable.http.post(path)
    over = service.make(closes_at=settings(0, now_ms() - 1)["closes_at"])

    assert first.json()["status"] == "joined"
    assert again.json() == first.json() | {"status": "already_joined"}
    check(service.durable.http.post(f"/v1/events/{over}/players/ann/join"), 409, "event-over")


def test_a_whole_event(service: EventService) -> None:
    """It opens and closes by itself; the result is the same ever after, the reward is earned."""
    at_ms = now_ms()
    tiers = [{"name": "bronze", "threshold": 5}, {"name": "silver", "threshold": 6}]
    # Long enough for each state to be seen, also by who is held up for a moment.
    window = settings(at_ms + 2_000, at_ms + 4_500, grace_seconds=3, tiers=tiers)
    event_id = service.make(**window)
    states = [service.get(f"/v1/events/{event_id}")["state"]]
    for player in ("ann", "bob"):
        service.durable.http.post(f"/v1/events/{event_id}/players/{player}/join")
    inside = race(event_id, "r", at_ms + 2_500)
    service.durable.http.post("/v1/races", json=inside)

    def closed() -> bool:
        state = service.get(f"/v2/events/{event_id}")["state"]
        if state != states[-1]:
            states.append(state)
        return bool(state == "closed")

    assert eventually(closed)
    final = service.get(f"/v2/events/{event_id}")["final"]
    late = service.durable.http.post(
        "/v1/races", json=[inside, race(event_id, "late", at_ms + 2_500, player="bob")]
    )
    ann, bob = (service.get(f"/v2/events/{event_id}/players/{one}") for one in ("ann", "bob"))

    assert states == ["scheduled", "open", "closing", "closed"]
    assert (final["total"], final["tier"], final["eligible"]) == (5, "bronze", 1)
    assert late.json()["counts"] == COUNTED | {"counted": 0, "duplicate": 1, "late": 1}
    assert (ann["reward"], ann["contribution"], ann["late"]) == ("bronze", 5, 0)
    assert (bob["reward"], bob["contribution"], bob["late"]) == ("bronze", 5, 5)
    assert (bob["eligible"], bob["races"]) == (True, 1)
    assert eventually(lambda: service.get(f"/v2/events/{event_id}")["late"] == 1)
    told = service.get(f"/v2/events/{event_id}")
    assert (told["final"], told["total"]) == (final, 5)
    assert (told["late_amount"], told["late_eligible"]) == (5, 1)


def test_an_event_is_put_before_it_opens(service: EventService) -> None:
    """The same again is no change; an open one keeps window and tiers, and all keep the sum."""
    at_ms = now_ms()
    event_id = service.make(**settings(at_ms + HOUR_MS, at_ms + 2 * HOUR_MS))
    path = f"/v1/events/{event_id}"
    body = settings(at_ms + HOUR_MS, at_ms + 2 * HOUR_MS)
    same = service.durable.http.put(path, json=body)
    changed = service.durable.http.put(path, json=body | {"tiers": []})
    wins = {"field": "wins", "kind": "count", "unit": "win"}

    assert same.json()["status"] == "unchanged"
    assert (changed.json()["status"], changed.json()["settings"]["tiers"]) == ("changed", [])
    check(service.durable.http.put(path, json=body | {"aggregate": wins}), 409, "event-opened")
    opened = service.make()
    check(service.durable.http.put(f"/v1/events/{opened}", json=body), 409, "event-opened")
    assert service.durable.http.delete(path).status_code == 405
    assert invalid(service.durable.http.put("/v1/events/versions", json=body)) == ["event_id"]


def test_the_versions_are_told(service: EventService) -> None:
    """Oldest first, with where each is served."""
    assert service.get("/v1/events/versions") == {
        "versions": [
            {"version": 1, "path": "/v1/events/{event_id}"},
            {"version": 2, "path": "/v2/events/{event_id}"},
        ],
        "newest": 2,
    }
    described = service.get("/v1/boards")
    assert described["capabilities"]["community_events"] is True


def test_what_became_of_deliveries_is_counted(service: EventService) -> None:
    """By outcome, each delivery once."""
    event_id = service.make()
    names = ("counted", "duplicate", "conflict", "outside", "late")
    before = [service.durable.sample("odometer_deliveries_total", name) for name in names]
    first = race(event_id, "r", now_ms())
    other = first | {"player_id": "bob"}
    service.durable.http.post(
        "/v1/races", json=[first, first, first, other, race(event_id, "o", 0)]
    )
    after = [service.durable.sample("odometer_deliveries_total", name) for name in names]

    assert [a - b for a, b in zip(after, before, strict=True)] == [1, 2, 1, 1, 0]
    assert service.durable.sample("odometer_drift") == 0


def test_a_file_of_events_is_put_at_the_start(own_valkey: ValkeyProcess, tmp_path: Path) -> None:
    """They are there before the first request."""
    (path := tmp_path / "events.toml").write_text(
        "[events.autumn]\nopens_at = 2026-11-30T00:00:00Z\ncloses_at = 2026-12-03T00:00:00Z\n"
        'aggregate = { field = "longest", kind = "max", unit = "mile" }\n'
    )
    with durable_service("naive", own_valkey, tmp_path, HOTBOARD_EVENTS_PATH=str(path)) as durable:
        told = EventService(durable).get("/v2/events/autumn")

    assert told["aggregate"] == {"field": "longest", "kind": "max", "unit": "mile"}
