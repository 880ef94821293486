"""Drift, and making everything from the lake again."""

import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import run

import pytest
from odometer_events import CLOSES_MS, Tables, configuration, delivery, tables_in

from target_service.odometer.__main__ import sentence
from target_service.odometer.event import Kind
from target_service.odometer.rebuild import LakeSums, Rebuilt, drift, rebuild
from target_service.odometer.scheduler import advance
from target_service.odometer.tables import prepare

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    """An event of each kind, with the same races."""
    with tables_in(tmp_path) as opened:
        for kind in Kind:
            event = opened.make(kind.value, configuration(kind))
            races = [("1", 4, "ann"), ("2", 10, "bob"), ("3", 7, "bob"), ("1", 4, "ann")]
            opened.apply([delivery(event, *one) for one in races])
        yield opened


def _spoil(tables: Tables) -> None:
    """What a crash between separate writes would leave behind, and worse."""
    for statement in (
        "UPDATE odometer_events SET total = total + 3, races = 0 WHERE id = 'sum'",
        "UPDATE odometer_contributions SET amount = 1 WHERE player = 'bob'",
        "DELETE FROM odometer_contributions WHERE player = 'ann'",
        "INSERT INTO odometer_contributions VALUES (1, 'ghost', 50, 1)",
    ):
        tables.connection.execute(statement)


def _drift(tables: Tables) -> int | None:
    with tables.store.read_transaction(tables.connection):
        return drift(tables.connection, LakeSums())


def test_drift_is_zero_until_something_goes_wrong(tables: Tables) -> None:
    """Then it is the distance of totals and of contributions from the lake, in units."""
    before = _drift(tables)
    tables.connection.execute("UPDATE odometer_events SET total = total + 3 WHERE id = 'sum'")
    total_off = _drift(tables)
    tables.connection.execute("DELETE FROM odometer_contributions WHERE event = 1")

    assert (before, total_off, _drift(tables)) == (0, 3, 24)


def test_miles_of_another_player_are_drift(tables: Tables) -> None:
    """What one player lost and another got is off by both, though the sum is right."""
    move = "UPDATE odometer_contributions SET amount = amount + ? WHERE event = 1 AND player = ?"
    tables.connection.executemany(move, [(-3, "bob"), (3, "ann")])

    assert _drift(tables) == 6
    (found, *_) = rebuild(tables.store)
    assert (found.total_before, found.parts_before, found.total, found.drift) == (21, 21, 21, 6)
    assert sentence(found) == "sum: 21 in the lake, drift before 6."
    assert tables.contributions(tables.event("sum")) == {"ann": 4, "bob": 17}


def test_players_are_compared_in_slices(tables: Tables) -> None:
    """However small they are, each player is compared once."""
    tables.connection.execute("UPDATE odometer_contributions SET amount = amount + 1")
    lake = LakeSums()
    lake.read_on(tables.connection, 100)
    kinds = dict(enumerate(Kind, 1))
    found: list[int | None] = []
    while not found or found[-1] is None:
        found.append(lake.compare_on(tables.connection, kinds, 1))

    assert found == [None] * 6 + [6]


def test_the_lake_is_read_on_in_slices(tables: Tables) -> None:
    """However small they are, the sums are the same, and each row is read once."""
    lake = LakeSums()
    slices = 0
    while not lake.read_on(tables.connection, 1):
        slices += 1

    assert slices == 11
    assert [lake.of(n + 1, kind) for n, kind in enumerate(Kind)] == [(21, 3), (3, 3), (10, 3)]
    assert lake.read_on(tables.connection, 1)


def test_a_rebuild_restores_everything(tables: Tables) -> None:
    """Totals, races and contributions of every kind; what it found is told; again finds none."""
    truth = [tables.event(kind.value) for kind in Kind]
    parts = [tables.contributions(event) for event in truth]
    _spoil(tables)
    found = rebuild(tables.store)

    assert [(one.event_id, one.total) for one in found] == [("sum", 21), ("count", 3), ("max", 10)]
    assert found[0] == Rebuilt("sum", 24, 51, 21, None, 73)
    assert [one.drift for one in found] == [73, 2, 13]
    assert [tables.event(kind.value) for kind in Kind] == truth
    assert [tables.contributions(event) for event in truth] == parts
    assert [one.drift for one in rebuild(tables.store)] == [0, 0, 0]
    assert _drift(tables) == 0


def test_reads_go_on_and_see_one_state_or_the_other(tables: Tables) -> None:
    """A reader that began before the rebuild ends with what it began with."""
    _spoil(tables)
    reader = tables.store.connect()
    with tables.store.read_transaction(reader):
        before = reader.execute("SELECT sum(amount) FROM odometer_contributions").fetchone()
        rebuild(tables.store)
        during = reader.execute("SELECT sum(amount) FROM odometer_contributions").fetchone()
    after = reader.execute("SELECT sum(amount) FROM odometer_contributions").fetchone()
    reader.close()

    assert before == during != after == (21 + 3 + 4 + 10,)


def test_the_end_of_an_event_is_not_rebuilt(tables: Tables) -> None:
    """It was read once; that the lake now says otherwise is told."""
    _spoil(tables)
    for now_ms in (CLOSES_MS, CLOSES_MS + 60_000):
        with tables.store.write_transaction(tables.connection):
            advance(tables.connection, "a", now_ms)
    final = tables.event("sum").final
    told = run(
        [sys.executable, "-m", "target_service.odometer", str(tables.store.path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert final is not None
    assert tables.event("sum").final == final
    assert told.stdout.splitlines() == [
        "sum: 21 in the lake, drift before 73. It ended with 24, and that stays.",
        "count: 3 in the lake, drift before 2.",
        "max: 10 in the lake, drift before 13.",
    ]


def test_a_file_of_an_earlier_build_gets_its_late_parts(tables: Tables) -> None:
    """They were counted as races alone; the lake knows whose they are, and what they are worth."""
    events = [tables.event(kind.value) for kind in Kind]
    tables.join(events, ["ann", "cat"])
    for now_ms in (CLOSES_MS, CLOSES_MS + 60_000):
        with tables.store.write_transaction(tables.connection):
            advance(tables.connection, "a", now_ms)
    late = [("4", 8, "ann"), ("5", 9, "cat"), ("6", 2, "cat")]
    tables.apply([delivery(event, *one) for event in events for one in late])
    found = [tables.event(kind.value) for kind in Kind]
    for statement in (
        "DROP TABLE odometer_late_contributions",
        "DROP TABLE odometer_waiting",
        "DROP TABLE odometer_copies",
        "ALTER TABLE odometer_events DROP COLUMN late_amount",
        "ALTER TABLE odometer_events DROP COLUMN late_eligible",
    ):
        tables.connection.execute(statement)
    prepare(tables.store)

    assert [(one.late, one.late_amount, one.late_eligible) for one in found] == [
        *((3, 19, 1), (3, 3, 1), (3, 9, 1)),
    ]
    assert [tables.event(kind.value) for kind in Kind] == found
    assert _drift(tables) == 0


def test_a_file_that_is_not_there_is_told() -> None:
    """A sentence and exit 2, and no file is made."""
    told = run(
        [sys.executable, "-m", "target_service.odometer", "missing.db"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("Name the ledger's file")
