"""The load of members: what is asked, and how the answers are judged."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from load_plans import PLAN

from locustfiles.http.dialer import read_address
from locustfiles.operations import make_operations
from locustfiles.operations.contract import Operation, Reply
from locustfiles.schedule.arrival import Arrival

ADDRESS = read_address("http://service:8000")
RATES = dict.fromkeys(("count", "achievements", "colleagues"), "1")
MADE = make_operations(replace(PLAN, run_id="run", players=700, rates=RATES), ADDRESS)
MEMBER, ORGANIZATION = "player-00009", "organization-00002"
ARRIVAL = Arrival(41, 0, 9, -1)


def _made(name: str) -> Operation:
    return MADE[name]


def _page(total: int, level: int, points: int, unlocked: int, member: str = MEMBER) -> bytes:
    """A page with one achievement of three levels at 10, 20 and 30, worth 1, 2 and 3 points."""
    levels = [
        {
            "level": number,
            "at": 10 * number,
            "points": number,
            "unlocked_at": "2026-09-06T00:00:00.000Z" if number <= unlocked else None,
        }
        for number in (1, 2, 3)
    ]
    one = {"achievement": "host", "counter": "signups", "total": total, "level": level}
    page = {"member": member, "points": points, "achievements": [{**one, "levels": levels}]}
    return json.dumps(page).encode()


def _board(*entries: tuple[str, int], organization: str = ORGANIZATION) -> bytes:
    rows = [{"member": name, "points": points, "position": 1} for name, points in entries]
    return json.dumps({"organization": organization, "entries": rows}).encode()


def test_events_of_a_run_are_its_own_and_never_impossible() -> None:
    """Twenty kinds in turn: no organisation without its signup, whatever comes before."""
    sums: Counter[str] = Counter()
    for number in range(-40, 160):
        request = _made("count").request(ARRIVAL._replace(number=number))
        head, _, body = request.partition(b"\r\n\r\n")
        event: dict[str, Any] = json.loads(body)

        assert head.startswith(f"POST /v1/members/{MEMBER}/counters HTTP/1.1\r\n".encode())
        assert f"Content-Length: {len(body)}" in head.decode()
        assert f"run-{number}" == event.pop("event_id")
        sums.update(event)
        assert sums["signups"] >= sums["organizations"]

    assert {
        "page_views": 150,
        "unique_visitors": 50,
        "link_clicks": 30,
        "signups": 20,
        "organizations": 10,
    } == sums


def test_pages_and_boards_are_the_members_own() -> None:
    """The arrival's member, and the organisation that member is in."""
    page, board = (_made(name).request(ARRIVAL) for name in ("achievements", "colleagues"))

    assert page.startswith(f"GET /v1/members/{MEMBER}/achievements HTTP/1.1\r\n".encode())
    assert board.startswith(f"GET /v1/organizations/{ORGANIZATION}/leaderboard HTTP".encode())


@pytest.mark.parametrize(
    ("name", "status", "body", "reply"),
    [
        ("count", 200, b'{"applied":1,"duplicate":0}', Reply(None, "applied")),
        ("count", 200, b'{"applied":0,"duplicate":1}', Reply(None, "duplicate")),
        ("count", 200, b'{"applied":0,"duplicate":0}', Reply("bad_body")),
        ("count", 200, b"{}", Reply("bad_body")),
        ("count", 409, b"{}", Reply("http_4xx")),
        ("achievements", 200, _page(25, 2, 3, 2), Reply(None)),
        ("achievements", 200, _page(5, 2, 3, 2), Reply(None)),
        ("achievements", 200, _page(35, 2, 3, 2), Reply("bad_body")),
        ("achievements", 200, _page(25, 2, 4, 2), Reply("bad_body")),
        ("achievements", 200, _page(25, 2, 1, 1), Reply("bad_body")),
        ("achievements", 200, _page(25, 2, 3, 2, "another"), Reply("bad_body")),
        ("achievements", 503, b"", Reply("http_5xx")),
        ("colleagues", 200, _board(("b", 5), ("a", 5), ("c", 0)), Reply(None)),
        ("colleagues", 200, _board(("a", 5), ("b", 5)), Reply("bad_body")),
        ("colleagues", 200, _board(), Reply("bad_body")),
        ("colleagues", 200, _board(("a", 1), organization="x"), Reply("bad_body")),
        ("colleagues", 200, b"[", Reply("bad_body")),
    ],
)
def test_an_answer_holds_what_was_promised(
    name: str, status: int, body: bytes, reply: Reply
) -> None:
    """Levels as the totals say, points as the levels say, boards in order."""
    assert reply == _made(name).judge(ARRIVAL, status, body)
