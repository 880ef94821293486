"""Compaction by more than one process."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from ledger_opening import NEXT_SEASON, SOLO

from target_service.ledger.compaction import Compaction
from target_service.ledger.events import Batch
from target_service.ledger.group_writer import GroupWriter
from target_service.ledger.latest_standings import LatestStandings
from target_service.ledger.store import Store

LEASE_MS = 5_000


class Worker:
    """One process's part of a ledger, a step at a time."""

    def __init__(self, store: Store, name: str) -> None:
        self.store = store
        self.connection = store.connect()
        self.latest_standings = LatestStandings()
        self.groups = GroupWriter(store, self.connection, self.latest_standings)
        self.compaction = Compaction(self.latest_standings, name, changes=1, interval_ms=0)

    def write(self, name: str, board: object = SOLO) -> None:
        """Store four events of four players."""
        ids = [f"{name}-{index}" for index in range(4)]
        players = [f"player-{index}" for index in range(4)]
        self.groups.write_group([Batch(board, ids, players, [1, 2, 3, 4])], 0)  # type: ignore[arg-type]  # a board

    def step(self, now_ms: int, rows: int) -> int:
        """Compact one slice, as upkeep does, and return how many players were in it."""
        with self.store.transaction(self.connection):
            self.latest_standings.catch_up(self.connection)
            before = len(self.latest_standings)
            self.compaction.step(self.connection, now_ms, rows)
        self.compaction.committed()
        return before - len(self.latest_standings)


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[tuple[Worker, Worker]]:
    """Two workers on one file."""
    store = Store(tmp_path / "ledger.db", "normal")
    store.prepare()
    pair = Worker(store, "one"), Worker(store, "other")
    yield pair
    for worker in pair:
        worker.connection.close()
    store.process_lock.close()


def compacted(connection: sqlite3.Connection) -> tuple[int, list[int]]:
    """How far the compaction says it is, and the changes that are in the table."""
    (folded_to,) = connection.execute("SELECT folded_to FROM state").fetchone()
    rows = connection.execute("SELECT change FROM players ORDER BY change")
    return folded_to, [change for (change,) in rows]


def test_a_compaction_is_done_with_its_last_slice(workers: tuple[Worker, Worker]) -> None:
    """Slices go to the table one by one; only the last one, of the last season, moves the mark."""
    one, _ = workers
    one.write("a")
    one.write("b", NEXT_SEASON)
    seen = []
    for _ in range(4):
        one.step(now_ms=0, rows=2)
        seen.append(
            (compacted(one.connection)[0], len(one.latest_standings), one.compaction.running)
        )

    assert [(0, 6, True), (0, 4, True), (0, 2, True), (8, 0, False)] == seen
    assert (8, [1, 2, 3, 4, 5, 6, 7, 8]) == compacted(one.connection)


def test_one_process_compacts_at_a_time(workers: tuple[Worker, Worker]) -> None:
    """While one process compacts, the other does not."""
    one, other = workers
    one.write("a")

    assert [1, 0, 3] == [one.step(0, 1), other.step(1, 100), one.step(2, 100)]
    assert (4, [1, 2, 3, 4]) == compacted(one.connection)


def test_a_compaction_that_slept_gives_way(workers: tuple[Worker, Worker]) -> None:
    """A process that returns to a round another one has finished drops it and starts again."""
    one, other = workers
    one.write("a")
    slept = one.step(0, 1)
    other.write("b")
    taken_over = other.step(LEASE_MS, 100)
    gives_way = one.step(LEASE_MS + 1, 100)

    assert (1, 4, 0, False) == (slept, taken_over, gives_way, one.compaction.running)
    assert (8, [5, 6, 7, 8]) == compacted(one.connection)

    one.write("c")

    assert 4 == one.step(LEASE_MS + 2, 100)
    assert (12, [9, 10, 11, 12]) == compacted(other.connection)
