"""Sweeps against each other, against time, and against their own death.

The same with 50,000 members: bench_achievements.py.
"""

import logging
from pathlib import Path

import pytest
from made_members import make, name, standings, unlocks, visit
from sweeping import SweepProcess

from target_service.achievements import sweep as sweep_module
from target_service.achievements import tables
from target_service.achievements.sweep import SweepCut, SweepReport, begin_sweep
from target_service.ledger.store import Store
from target_service.timestamps import wall_clock_ms

MEMBERS, EVERY = 4_500, 10
CROSSING = MEMBERS // EVERY
PAST_THE_LEASE_MS = 11_000


def _sweep(store: Store, late_ms: int = 0) -> tuple[SweepReport, int]:
    """Sweep to the end; return the report and SQLite's count of rows written."""
    connection = store.connect()
    begun = begin_sweep(store, connection, None, lambda: wall_clock_ms() + late_ms)
    assert begun is not None
    report = begun.run()
    written = connection.total_changes
    connection.close()
    return report, written


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A file with members, a tenth of whom cross a level; nobody has a standing yet."""
    return make(tmp_path / "ledger.db", MEMBERS, EVERY)


def _expected() -> list[str]:
    return [name(index) for index in range(0, MEMBERS, EVERY)]


def test_two_sweeps_at_once_find_each_level_once(store: Store) -> None:
    """While one is at work another does not begin; nothing is found twice or left out."""
    with (
        SweepProcess(store.path, pause_before=2) as first,
        SweepProcess(store.path, pause_before=2) as second,
    ):
        told = (first.said(), second.said())
        assert [{"paused": True}, {"refused": True}] == sorted(told, key=str)
        for process in (first, second):
            if told[(first, second).index(process)] == {"paused": True}:
                process.go_on()
                report = process.said()

    assert (MEMBERS, MEMBERS, CROSSING) == (
        report["scanned"],
        report["changed"],
        report["unlocked"],
    )
    assert _expected() == unlocks(store)


def test_a_sweep_past_its_lease_is_fenced_off(store: Store) -> None:
    """It slept, another took over and finished: it writes nothing more, and says so."""
    with SweepProcess(store.path, pause_before=3) as sleeper:
        assert {"paused": True} == sleeper.said()
        report, _ = _sweep(store, PAST_THE_LEASE_MS)
        visit(store, range(MEMBERS - 100, MEMBERS), 1)
        before = standings(store)
        sleeper.go_on()
        told = sleeper.said()

    assert "achievements-sweep" in told["fenced"]
    assert before == standings(store)
    assert _expected() == unlocks(store)
    assert (MEMBERS, MEMBERS - 2_000) == (report.tally.scanned, report.tally.changed)


def test_a_killed_sweep_is_followed_by_one_that_goes_on(store: Store) -> None:
    """Killed between two pages: the next begins where it stopped, nothing is lost or doubled."""
    with SweepProcess(store.path, pause_before=3) as victim:
        assert {"paused": True} == victim.said()
        victim.kill()
    half = len(unlocks(store))
    report, _ = _sweep(store, PAST_THE_LEASE_MS)

    assert 2_000 // EVERY == half
    assert name(1_999) == report.resumed_after
    assert (MEMBERS, MEMBERS - 2_000) == (report.tally.scanned, report.tally.changed)
    assert _expected() == unlocks(store)
    again, _ = _sweep(store)
    assert (MEMBERS, 0, "") == (again.tally.scanned, again.tally.changed, again.resumed_after)


def test_a_sweep_that_is_told_to_stop_lets_the_next_one_in(store: Store) -> None:
    """A service that ends cuts it off between two pages; its lease is free at once."""
    connection = store.connect()
    answers = iter((False, False, True))
    begun = begin_sweep(store, connection, None, is_cut=lambda: next(answers))
    assert begun is not None

    with pytest.raises(SweepCut):
        begun.run()
    connection.close()
    report, _ = _sweep(store)

    assert name(1_999) == report.resumed_after
    assert (MEMBERS, MEMBERS - 2_000) == (report.tally.scanned, report.tally.changed)
    assert _expected() == sorted(unlocks(store))


def test_a_second_sweep_writes_no_member(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """By SQLite's count it writes what a sweep of nobody does: the lease and its own record."""
    empty = Store(tmp_path / "empty.db", "normal")
    empty.prepare()
    tables.prepare(empty)
    _, for_nobody = _sweep(empty)
    _sweep(store)
    before = standings(store)

    with caplog.at_level(logging.INFO, logger=sweep_module.__name__):
        report, written = _sweep(store)

    assert for_nobody == written
    assert before == standings(store)
    (line,) = caplog.messages
    assert str(report) == line
    assert line.startswith(
        f"sweep (by hand): scanned {MEMBERS}, changed 0, unchanged {MEMBERS}, unlocked 0, "
    )


def test_only_who_has_a_tracking_code_is_swept(tmp_path: Path) -> None:
    """Others are recounted when they look, and cost a sweep nothing."""
    store = make(tmp_path / "ledger.db", 20, 1)
    connection = store.connect()
    with store.write_transaction(connection):
        connection.execute(
            "UPDATE member_counters SET tracking_code = NULL WHERE member > ?", (name(4),)
        )
    connection.close()
    report, _ = _sweep(store)

    assert (5, 5) == (report.tally.scanned, report.tally.unlocked)
    assert [name(index) for index in range(5)] == unlocks(store)


def test_a_member_whose_recount_fails_stops_nobody_else(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    """They are passed over, named in the log and counted; everybody else is recounted."""
    broken = [name(index) for index in (0, 20, 4_490)]
    connection = store.connect()
    with store.write_transaction(connection):
        connection.executemany(
            "INSERT INTO achievement_unlocks (member, achievement, level, points, at_ms)"
            " VALUES (?, 'crowd-puller', 1, 5, 0)",
            [(one,) for one in broken],
        )
    connection.close()

    with caplog.at_level(logging.INFO, logger=sweep_module.__name__):
        report, _ = _sweep(store)

    assert (MEMBERS, MEMBERS - 3, CROSSING - 3, 3) == (
        report.tally.scanned,
        report.tally.changed,
        report.tally.unlocked,
        report.tally.failed,
    )
    assert _expected() == sorted(unlocks(store))
    *named, line = caplog.messages
    assert [f"sweep: the recount of member '{one}' failed" for one in broken] == [
        told.partition(":")[0] + ":" + told.split(":")[1] for told in named
    ]
    assert f"unlocked {CROSSING - 3}, failed 3, " in line
