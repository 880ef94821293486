"""Counters, standings, pending unlocks and colleagues' boards over HTTP."""

import sqlite3
from contextlib import closing

from achievements_client import COLUMNS, Achieving, member_path
from durable_service import eventually
from problem_checks import check, invalid

EARNED_BY = {
    "page_views": "shop-window",
    "unique_visitors": "crowd-puller",
    "link_clicks": "door-opener",
    "signups": "host",
    "organizations": "founder",
    "paid_accounts": "rainmaker",
}


def test_what_is_counted_is_shown_and_unlocked(achieving: Achieving) -> None:
    """One read settles all six against the row: totals, levels, points and when."""
    achieving.enrol("six", "six-org", "code")
    values = dict(zip(COLUMNS, (150, 60, 30, 12, 6, 1), strict=True))
    assert {"applied": 1, "duplicate": 0} == achieving.count("six", **values).json()

    page = achieving.page("six")

    shown = {one["achievement"]: one for one in page["achievements"]}
    assert values == {column: shown[name]["total"] for column, name in EARNED_BY.items()}
    assert [1, 1, 1, 2, 2, 1] == [shown[name]["level"] for name in EARNED_BY.values()]
    assert 5 + 5 + 5 + 40 + 70 + 50 == page["points"]
    assert "six-org" == page["organization"]
    first, second = shown["shop-window"]["levels"][:2]
    assert (1, 100, 5) == (first["level"], first["at"], first["points"])
    assert first["unlocked_at"] <= page["as_of"]
    assert second["unlocked_at"] is None


def test_each_counter_is_seen_under_its_own_name(achieving: Achieving) -> None:
    """A swap anywhere between the request and the answer would show here."""
    for column, name in EARNED_BY.items():
        member = f"only-{column}"
        funnel = {"organizations": ("signups",), "paid_accounts": ("signups", "organizations")}
        wider = dict.fromkeys(funnel.get(column, ()), 10_000)
        achieving.count(member, **wider, **{column: 777}).raise_for_status()
        shown = {one["counter"]: one for one in achieving.page(member)["achievements"]}

        assert (name, 777) == (shown[column]["achievement"], shown[column]["total"])
        assert {column, *wider} == {name for name, one in shown.items() if one["total"]}


def test_each_counter_is_kept_under_its_own_name(achieving: Achieving) -> None:
    """Counted and reconciled: the ledger's row has every number where its name says."""
    values = dict(zip(COLUMNS, (11, 12, 13, 16, 15, 14), strict=True))
    achieving.count("counted-by-name", **values).raise_for_status()
    answer = achieving.reconcile("reconciled-by-name", **values)

    assert {"member": "reconciled-by-name", "counters": values} == answer.json()
    with closing(sqlite3.connect(f"file:{achieving.ledger}?mode=ro", uri=True)) as connection:
        for member in ("counted-by-name", "reconciled-by-name"):
            row = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM member_counters WHERE member = ?",  # noqa: S608
                (member,),
            ).fetchone()
            assert tuple(values.values()) == row


def test_an_event_counts_once(achieving: Achieving) -> None:
    """Alone, again, in a list, twice in a list: by its id; other contents are a conflict."""
    one = {"event_id": "once-1", "page_views": 1}
    two = {"event_id": "once-2", "page_views": 10}

    answers = [achieving.send("once", body).json() for body in (one, one, [one, two, two], two)]
    other_adds = achieving.send("once", [{"event_id": "once-3"}, {**one, "page_views": 2}])
    other_member = achieving.send("once-again", one)

    assert [(1, 0), (0, 1), (1, 2), (0, 1)] == [(a["applied"], a["duplicate"]) for a in answers]
    check(other_adds, 409, "event-conflict")
    check(other_member, 409, "event-conflict")
    assert {"applied": 1, "duplicate": 0} == achieving.send("once", {"event_id": "once-3"}).json()
    assert 11 == achieving.page("once")["achievements"][0]["total"]


def test_an_impossible_funnel_is_refused_whole(achieving: Achieving) -> None:
    """More organisations than signups, or paid accounts than organisations: nothing is stored."""
    achieving.count("funnel", signups=2, organizations=2).raise_for_status()

    fields = [
        check(refused, 409, "impossible-counters")
        for refused in (
            achieving.send(
                "funnel",
                [{"event_id": "f-1", "page_views": 5}, {"event_id": "f-2", "organizations": 1}],
            ),
            achieving.count("funnel", paid_accounts=3),
            achieving.reconcile("funnel", signups=1, organizations=2, paid_accounts=3),
            achieving.count("funnel", signups=2**53 - 1),
        )
    ]

    assert [
        ["organizations"],
        ["paid_accounts"],
        ["organizations", "paid_accounts"],
        ["signups"],
    ] == fields
    totals = [one["total"] for one in achieving.page("funnel")["achievements"]]
    assert [0, 0, 0, 2, 2, 0] == totals
    # Refused whole: the first event of the refused list was not remembered either.
    assert 1 == achieving.send("funnel", {"event_id": "f-1", "page_views": 5}).json()["applied"]


def test_a_reconcile_sets_and_revokes_nothing(achieving: Achieving) -> None:
    """Downwards too: the running total follows the counter, the level stays."""
    achieving.count("down", signups=12).raise_for_status()
    before = achieving.page("down")
    answer = achieving.reconcile("down", signups=3)
    after = achieving.page("down")
    achieving.reconcile("down", signups=12)
    again = achieving.page("down")

    assert 3 == answer.json()["counters"]["signups"]
    host = [page["achievements"][3] for page in (before, after, again)]
    assert [(12, 2), (3, 2), (12, 2)] == [(one["total"], one["level"]) for one in host]
    assert host[0]["levels"] == host[1]["levels"] == host[2]["levels"]
    assert 40 == before["points"] == after["points"] == again["points"]


def test_pending_is_what_was_not_seen(achieving: Achieving) -> None:
    """The list stays until the member says how far they saw; a foreign number moves nothing."""
    achieving.count("fresh", signups=10).raise_for_status()
    first = achieving.pending("fresh")
    achieving.count("fresh", page_views=100).raise_for_status()
    both = achieving.pending("fresh")
    half = achieving.pending("fresh", seen=first[0]["number"])
    too_far = achieving.pending("fresh", seen=9_999_999_999)
    none = achieving.pending("fresh", seen=both[-1]["number"])
    back = achieving.pending("fresh", seen=first[0]["number"])

    assert [("host", 1), ("host", 2)] == [(one["achievement"], one["level"]) for one in first]
    assert [1, 2, 3] == [one["number"] - first[0]["number"] + 1 for one in both]
    assert both[1:] == half == too_far
    assert [] == none == back


def test_colleagues_stand_in_order_and_follow_every_change(achieving: Achieving) -> None:
    """Points descending, then id descending; a member who moves leaves one board for another."""
    for member in ("cola", "colb", "colc"):
        achieving.enrol(member, "co {l}:x")
    assert [("colc", 0), ("colb", 0), ("cola", 0)] == achieving.colleagues("co {l}:x")

    achieving.count("colb", signups=1)
    achieving.page("colb")
    assert [("colb", 10), ("colc", 0), ("cola", 0)] == achieving.colleagues("co {l}:x")
    assert [("colb", 10)] == achieving.colleagues("co {l}:x", k=1)

    achieving.enrol("colb", "elsewhere")
    assert [("colc", 0), ("cola", 0)] == achieving.colleagues("co {l}:x")
    assert [("colb", 10)] == achieving.colleagues("elsewhere")

    achieving.enrol("colb", None)
    assert [] == achieving.colleagues("elsewhere")


def test_each_unlock_is_one_frame(achieving: Achieving) -> None:
    """In the order of unlocking, with the outbox number as the entry's id."""
    achieving.count("framed", signups=10, page_views=1_000).raise_for_status()
    for _ in range(3):
        achieving.page("framed")
    expected = [("framed", "shop-window", 1), ("framed", "shop-window", 2)]
    expected += [("framed", "host", 1), ("framed", "host", 2)]

    assert eventually(lambda: achieving.frames("framed") == expected)
    numbers = [one["number"] for one in achieving.pending("framed")]
    ids = [entry for entry, fields in achieving.stream() if fields["member"] == "framed"]
    assert [f"{number}-0" for number in numbers] == ids


def test_who_is_unknown_is_a_404(achieving: Achieving) -> None:
    """A member of whom nothing was ever said, and an organisation without members."""
    for rest in (("achievements",), ("achievements", "pending")):
        check(achieving.http.get(member_path("nobody", *rest)), 404, "unknown-member")
    nowhere = achieving.http.get("/v1/organizations/nowhere/leaderboard")
    check(nowhere, 404, "unknown-organization")


def test_every_bad_field_is_named_at_once(achieving: Achieving) -> None:
    """Path, query and body together, each with what it must be."""
    long = "x" * 65
    events = [{"event_id": "", "signups": -1}, {"page_views": True, "clicks": 1}, 7]
    where = member_path(long, "counters")

    assert [
        *("member_id", "x", "[0].event_id", "[0].signups"),
        *("[1].event_id", "[1].page_views", "[1].clicks", "[2]"),
    ] == invalid(achieving.http.post(f"{where}?x=1", json=events))
    assert ["body"] == invalid(achieving.send("ann", []))
    assert ["body"] == invalid(achieving.send("ann", "text"))
    assert ["event_id"] == invalid(achieving.send("ann", {"event_id": "\n"}))
    assert [*COLUMNS] == invalid(achieving.http.put(member_path("ann", "counters"), json={}))
    bad_member = {"organization": "a/b", "tracking_code": 5, "name": "Ann"}
    assert ["organization", "tracking_code", "name"] == invalid(
        achieving.http.put(member_path("ann"), json=bad_member)
    )
    assert ["organization_id", "k"] == invalid(
        achieving.http.get(f"/v1/organizations/{long}/leaderboard?k=0")
    )
    pending = member_path("ann", "achievements", "pending")
    assert ["seen"] == invalid(achieving.http.get(pending, params={"seen": -1}))
    assert ["pretty"] == invalid(achieving.http.get(member_path("ann", "achievements?pretty=1")))
