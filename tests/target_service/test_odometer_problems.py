"""What the odometer refuses, and how it says so."""

import asyncio
from pathlib import Path

import httpx
import pytest
from event_service import EventService, now_ms
from leaderboard_client import Leaderboard
from odometer_events import race, settings
from problem_checks import check, invalid

from target_service.app import create_app
from target_service.settings import Settings


@pytest.mark.parametrize("amount", [0, -1, 1_000_001, 1.0, 1.5, "5", True, None, 2**70])
def test_amounts_are_whole_and_positive(service: EventService, amount: object) -> None:
    """Zero, negative, huge and broken ones are refused, and the field is named."""
    bad = race("e", "r", 0) | {"amounts": {"miles": amount}}

    assert invalid(service.durable.http.post("/v1/races", json=bad)) == ["amounts.miles"]


def test_bad_deliveries_are_refused_as_a_whole(service: EventService) -> None:
    """Every problem with its index; an unknown event or a missing field is one too."""
    event_id = service.make()
    good = race(event_id, "r", now_ms())
    bad = [good, good | {"race_id": ""}, {"colour": 1}, 5]
    unfit = [good, race("no-such", "r", 0), good | {"amounts": {"wins": 1}}]

    assert invalid(service.durable.http.post("/v1/races", json=bad)) == [
        "[1].race_id",
        *(f"[2].{name}" for name in ("event_id", "race_id", "player_id", "finished_at")),
        "[2].amounts",
        "[2].colour",
        "[3]",
    ]
    assert invalid(service.durable.http.post("/v1/races", json=unfit)) == [
        "[1].event_id",
        "[2].amounts.miles",
    ]
    assert invalid(service.durable.http.post("/v1/races", json=unfit[1])) == ["event_id"]
    assert invalid(service.durable.http.post("/v1/races", json=unfit[2])) == ["amounts.miles"]
    for body in (b"", b"[]", b"{", b"\xff", b"[" * 100_000, b"null"):
        assert invalid(service.durable.http.post("/v1/races", content=body)) == ["body"]
    assert service.get(f"/v2/events/{event_id}/players/ann")["contribution"] == 0


def test_names_of_amounts_are_read_to_their_end(service: EventService) -> None:
    """A line's end behind a name makes it another name, and no good one."""
    event_id = service.make()
    bad = race(event_id, "r", now_ms()) | {"amounts": {"miles": 1, "wins\n": 1}}

    assert invalid(service.durable.http.post("/v1/races", json=bad)) == ["amounts.wins\n"]


def test_the_list_of_problems_is_bounded(service: EventService) -> None:
    """A hundred are named, however many there are; the answer says that there are more."""
    event_id = service.make()
    strange = {f"strange-{number}": 1 for number in range(50_000)}
    unfit = [race("no-such", str(number), 0) for number in range(1_000)]
    http = service.durable.http

    for answer in (
        http.post("/v1/races", json=race(event_id, "r", 0) | strange),
        http.post("/v1/races", json=unfit),
        http.put(f"/v1/events/{event_id}", json=settings() | strange),
    ):
        assert len(invalid(answer)) == 101
        told = {"field": "body", "detail": "has more problems than are listed here"}
        assert answer.json()["errors"][-1] == told


def test_the_path_of_the_versions_names_no_event(service: EventService) -> None:
    """However it is written; nobody could read such an event where old clients look for it."""
    http = service.durable.http
    for answer in (
        http.put("/v1/events/%76ersions", json=settings()),
        http.get("/v1/events/version%73"),
        http.get("/v2/events/versions"),
        http.post("/v1/events/versions/players/ann/join"),
    ):
        assert invalid(answer) == ["event_id"]
        assert "cannot be versions" in answer.json()["errors"][0]["detail"]


def test_what_is_not_there_is_a_404(service: EventService) -> None:
    """An event nobody made, on every route; a version that is not served."""
    for method, path in [
        ("GET", "/v1/events/none"),
        ("GET", "/v2/events/none"),
        ("GET", "/v2/events/none/players/ann"),
        ("POST", "/v1/events/none/players/ann/join"),
    ]:
        check(service.durable.http.request(method, path), 404, "unknown-event")
    check(service.durable.http.get("/v3/events/none"), 404, "unknown-route")


def test_ids_follow_the_rules_of_all_ids(service: EventService) -> None:
    """Normalised to NFC, percent-encoded in paths; a bad one and a stray query are named."""
    body = settings()
    made = service.durable.http.put("/v1/events/caf%C3%A9", json=body)
    again = service.durable.http.put("/v1/events/cafe%CC%81", json=body)

    assert (made.json()["status"], again.json()["status"]) == ("made", "unchanged")
    assert invalid(service.durable.http.get("/v2/events/%00?x=1")) == ["event_id", "x"]
    path = "/v2/events/%FF/players/%2F"
    assert invalid(service.durable.http.get(path)) == ["event_id", "player_id"]


def test_a_ledger_that_does_not_answer_is_a_503(tmp_path: Path) -> None:
    """What a player has contributed is unavailable rather than wrong; the same for all routes."""
    service_settings = Settings(
        mode="naive", ledger_path=tmp_path / "ledger.db", ledger_sync="normal"
    )
    transport = httpx.ASGITransport(create_app(service_settings))

    async def ask() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as http:
            return [
                await http.get("/v2/events/e/players/ann"),
                await http.get("/v2/events/e"),
                await http.post("/v1/events/e/players/ann/join"),
                await http.post("/v1/races", json=race("e", "r", 0)),
                await http.put("/v1/events/e", json=settings()),
            ]

    for answer in asyncio.run(ask()):
        check(answer, 503, "ledger-unavailable")
        assert answer.headers["retry-after"] == "1"


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
