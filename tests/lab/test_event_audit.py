"""The audit of a community event: the lake recounted, against what everybody said."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.audit.community_event import EventEvidence, read_event_evidence, with_event
from lab.audit.evidence import Counters
from target_service.ledger.store import Store
from target_service.odometer import tables
from target_service.odometer.deliveries import Apply, Content, Deliver, Delivery
from target_service.odometer.event import Aggregate, Configuration, Event, Kind
from target_service.odometer.putting import Put, put
from target_service.odometer.scheduler import advance

OPENS_MS, CLOSES_MS = 1_000_000, 2_000_000
AUDITED: dict[str, Any] = {"invariants": [], "not_comparable": []}
HELD = EventEvidence(
    final_total=60,
    ledger_total=60,
    recounted_races=4,
    recounted_total=60,
    recounted_late=7,
    contributions=67,
    counted_rows=4,
    counted_races=4,
    deliveries=8,
)
MEASURED: dict[str, Any] = {
    "scenario": {"community_event": {"event": {"final": {"total": 60}}}},
    "operations": {
        "races": {"all": {"statuses": {"counted": 4, "duplicate": 2, "outside": 2}, "unknown": 0}},
        "event_player": {"all": {"statuses": {"own writes seen": 9}}},
        "event_v1": {"all": {"statuses": {"open": 3}}},
        "event_v2": {"all": {"statuses": {"open": 3, "closed": 1}}},
    },
}


def _counters(counted: int = 0, executed: int = 0) -> Counters:
    return Counters(frozenset({(1, 1.0)}), "redis", 0, {}, {}, {}, 0, counted, executed)


def _broken(found: EventEvidence, measured: dict[str, Any] = MEASURED) -> list[str]:
    audited = with_event(AUDITED, measured, found, _counters(), _counters(5, 6))
    return [one["name"] for one in audited["invariants"] if not one["held"]]


def test_everything_agrees() -> None:
    """All invariants hold, the reads of the hot key among them."""
    audited = with_event(AUDITED, MEASURED, HELD, _counters(1, 1), _counters(5, 6))

    assert [one for one in audited["invariants"] if not one["held"]] == []
    assert len(audited["invariants"]) == 12
    reads = audited["invariants"][-1]
    assert (reads["left"], reads["relation"], reads["right"]) == (4, "≤", 5)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"final_total": 61}, "total at the end = distinct counted races"),
        ({"recounted_races": 5}, "races counted = distinct races"),
        ({"counted_rows": 5}, "rows counted = races counted"),
        ({"contributions": 66}, "contributions of players together = total + late"),
        ({"recounted_late": 8}, "contributions of players together = total + late"),
        ({"deliveries": 7}, "deliveries told ≤ rows of the lake"),
        ({"deliveries": 9}, "rows of the lake ≤ deliveries told"),
    ],
)
def test_a_single_unit_breaks_it(change: dict[str, int], told: str) -> None:
    """Whatever is one too many or one too few is named."""
    assert any(told in name for name in _broken(replace(HELD, **change)))


@pytest.mark.parametrize(
    ("operation", "broken"),
    [
        ("event_player", "event: reads of the own part that lacked what was told = 0"),
        ("event_v1", "event: polls told a total below an earlier one = 0"),
        ("event_v2", "event: polls told a total below an earlier one = 0"),
    ],
)
def test_reads_that_were_behind_break_it(operation: str, broken: str) -> None:
    """A player who was told of a race must find it, and no total goes back."""
    behind = {operation: {"all": {"statuses": {"behind": 1}}}}
    measured = {**MEASURED, "operations": {**MEASURED["operations"], **behind}}

    assert _broken(HELD, measured) == [broken]


def test_an_unknown_outcome_may_have_counted() -> None:
    """It widens what is allowed, by one each."""
    races = {"all": {"statuses": {"counted": 3, "duplicate": 4}, "unknown": 1}}
    measured = {**MEASURED, "operations": {"races": races}}

    assert _broken(HELD, measured) == []


def test_a_run_that_sent_no_races_counts_none() -> None:
    """SET may leave any operation out; a race in the lake is one that nobody was told of then."""
    measured = {
        "scenario": {"community_event": {"event": {"final": {"total": 0}}}},
        "operations": {"event_v2": MEASURED["operations"]["event_player"]},
    }
    nothing = EventEvidence(0, 0, 0, 0, 0, 0, 0, 0, 0)
    one = replace(nothing, deliveries=1)

    assert _broken(nothing, measured) == []
    assert _broken(one, measured) == ["event: rows of the lake ≤ deliveries told + unknown"]


def test_a_run_without_an_event_keeps_its_audit() -> None:
    """And one whose event cannot be read says why."""
    before, after = _counters(), _counters()

    assert with_event(AUDITED, {"scenario": {}}, HELD, before, after) is AUDITED
    assert with_event(AUDITED, MEASURED, "it burned", before, after)["not_comparable"] == [
        {"name": "community event", "reason": "it burned", "expected": False}
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ledger with an event: two races counted, one repeated, one outside, one late."""
    store = Store(tmp_path / "ledger.db", "normal")
    store.prepare()
    tables.prepare(store)
    yield store
    store.process_lock.close()


def _deliver(store: Store, event: Event, *races: tuple[str, int, int]) -> None:
    connection = store.connect()
    sent = [
        Delivery(event.number, race, Content("ann", at_ms, f"{miles}"), miles)
        for race, miles, at_ms in races
    ]
    with store.write_transaction(connection):
        Apply()(connection, [Deliver(sent, "http")], 0)
    connection.close()


def test_the_evidence_is_recounted_from_the_lake(store: Store) -> None:
    """By completion time and first delivery, up to the end and after, whatever was decided."""
    connection = store.connect()
    wanted = Configuration(Aggregate("miles", Kind.SUM, "mile"), OPENS_MS, CLOSES_MS, 1, (), 100)
    with store.write_transaction(connection):
        made = put(connection, "e", wanted, 0)
    assert isinstance(made, Put)
    before = read_event_evidence(store.path, "e")
    _deliver(store, made.event, ("a", 5, OPENS_MS), ("a", 5, OPENS_MS), ("b", 7, CLOSES_MS - 1))
    _deliver(store, made.event, ("c", 9, CLOSES_MS), ("a", 6, OPENS_MS))
    for now_ms in (CLOSES_MS, CLOSES_MS + 1_000):
        with store.write_transaction(connection):
            advance(connection, "a", now_ms)
    _deliver(store, made.event, ("late", 11, CLOSES_MS - 1))
    connection.close()

    assert before == "the event did not end during the run"
    assert read_event_evidence(store.path, "e") == EventEvidence(12, 12, 2, 12, 11, 23, 2, 2, 6)
    assert read_event_evidence(store.path, "none") == "the ledger does not know the event"
    told = read_event_evidence(store.path.with_name("no.db"), "e")
    assert str(told).startswith("the ledger's file cannot be read")
