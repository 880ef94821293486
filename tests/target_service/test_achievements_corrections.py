"""Ledgers that were made under another list of tracks, or by the version before."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from target_service.achievements import tables
from target_service.achievements.counting import Add, Count, Counted, count_all
from target_service.achievements.sweep import begin_sweep
from target_service.achievements.tracks import COLUMNS, Numbers
from target_service.ledger.errors import LedgerUnusable
from target_service.ledger.store import Store

HERE = Path(__file__).parent
Unlocked = list[tuple[str, str, int]]


def _swept(path: Path, *changes: str) -> dict[str, Any]:
    """Sweep in a process whose list of tracks has these changes; what it did and left behind."""
    told = subprocess.run(
        [sys.executable, str(HERE / "other_tracks.py"), str(path), *changes],
        check=True,
        capture_output=True,
        text=True,
    )
    done: dict[str, Any] = json.loads(told.stdout)
    return done


def _rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def _unlocked(path: Path) -> Unlocked:
    return _rows(path, "SELECT member, achievement, level FROM achievement_unlocks ORDER BY number")


def _ledger(path: Path) -> Store:
    store = Store(path, "normal")
    store.prepare()
    return store


def _adds(signups: int, organizations: int) -> Numbers:
    named = {"signups": signups, "organizations": organizations}
    return tuple(named.get(column, 0) for column in COLUMNS)


def _with_members(path: Path) -> Store:
    """Two members, of whom the second had many signups and one organization."""
    store = _ledger(path)
    tables.prepare(store)
    connection = store.connect()
    counts = [Count("ann", [Add("a", _adds(6, 5))]), Count("bob", [Add("b", _adds(30, 1))])]
    with store.write_transaction(connection):
        count_all(connection, counts, 1)
        connection.execute("UPDATE member_counters SET tracking_code = member")
    connection.close()
    return store


def test_tracks_that_change_places_take_nothing_and_stop_no_sweep(tmp_path: Path) -> None:
    """What was unlocked stays with its achievement; what the new counter reaches is added."""
    path = tmp_path / "ledger.db"
    _with_members(path)
    first = _swept(path)
    swapped = _swept(path, "signups=organizations", "organizations=signups")
    back = _swept(path)

    ann = [("ann", "host", 1), ("ann", "founder", 1), ("ann", "founder", 2)]
    bob = [("bob", "host", 1), ("bob", "host", 2), ("bob", "founder", 1)]
    assert ann + bob == [*map(tuple, first["unlocked"])]
    more = [("bob", "founder", 2), ("bob", "founder", 3)]
    assert ann + bob + more == [*map(tuple, swapped["unlocked"])]
    assert swapped["unlocked"] == back["unlocked"]
    assert [["ann", 5, 1, 6, 2], ["bob", 1, 2, 30, 3]] == swapped["standings"]
    assert [["ann", 6, 1, 5, 2], ["bob", 30, 2, 1, 3]] == back["standings"]
    assert [0, 0, 0] == [done["failed"] for done in (first, swapped, back)]


def test_a_repeat_of_an_event_is_one_under_any_list_of_tracks(tmp_path: Path) -> None:
    """The order of the counters in the list is not what an event is remembered by."""
    path = tmp_path / "ledger.db"
    _with_members(path)
    again = _swept(path, "signups=organizations", "organizations=signups")

    assert [0, 1] == again["counted_again"]


def test_a_new_counter_and_achievement_are_added_to_a_file_at_hand(tmp_path: Path) -> None:
    """The tables get what the list asks for, and everybody is settled anew."""
    path = tmp_path / "ledger.db"
    _with_members(path)
    _swept(path)
    renamed = _swept(path, "page_views=shop_views", "host=welcomer")

    unlocked = [tuple(one) for one in renamed["unlocked"] if one[1] == "welcomer"]
    assert [("ann", "welcomer", 1), ("bob", "welcomer", 1), ("bob", "welcomer", 2)] == unlocked
    assert [(0,)] == _rows(path, "SELECT shop_views FROM member_counters WHERE member = 'ann'")


def _version_1(path: Path) -> Store:
    store = _ledger(path)
    connection = sqlite3.connect(path)
    connection.executescript((HERE / "achievements_v1.sql").read_text())
    connection.close()
    return store


def test_a_file_of_version_1_is_carried_over_by_its_record_of_unlocks(tmp_path: Path) -> None:
    """Levels are those on record, one that was left out below them is recorded, events repeat."""
    store = _version_1(tmp_path / "ledger.db")
    tables.prepare(store)
    carried = _rows(
        store.path,
        'SELECT member, points, seen, "host_level", "founder_level" FROM achievement_standings',
    )
    connection = store.connect()
    begun = begin_sweep(store, connection, None)
    assert begun is not None
    report = begun.run()
    with store.write_transaction(connection):
        again = count_all(connection, [Count("ann", [Add("once", _adds(12, 6))])], 2_000)
    connection.close()

    assert [("ann", 110, 4, 2, 2), ("bob", 210, 0, 0, 3)] == carried
    assert ("bob", "founder", 2) == _unlocked(store.path)[6]
    assert [(50, 2000)] == _rows(
        store.path, "SELECT points, at_ms FROM achievement_unlocks WHERE number = 7"
    )
    assert [("bob", "host", 1), ("bob", "host", 2)] == _unlocked(store.path)[7:]
    assert (2, 2, 2, 0) == (
        report.tally.scanned,
        report.tally.changed,
        report.tally.unlocked,
        report.tally.failed,
    )
    # ann 10 + 30 + 20 + 50, bob 10 + 30 + 20 + 50 + 120
    assert [("ann", 110), ("bob", 230)] == _rows(
        store.path, "SELECT member, points FROM achievement_standings"
    )
    assert [Counted(0, 1)] == again
    took = "SELECT took_ms FROM achievement_sweeps WHERE number = 1"
    assert [(1_500,)] == _rows(store.path, took)


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """With the sentence that says which version it is, and nothing changed in it."""
    store = _with_members(tmp_path / "ledger.db")
    connection = sqlite3.connect(store.path)
    connection.execute("UPDATE achievement_state SET schema_version = 3")
    connection.commit()
    connection.close()

    with pytest.raises(LedgerUnusable, match=r"achievements of version 3, this service reads ver"):
        tables.prepare(store)
