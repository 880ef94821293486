"""Compaction by more than one process, ranges of changes, and marks written by upkeep."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_opening import NEXT_SEASON, SOLO, opened, pending_changes, run

from target_service.ledger.compaction import Compaction, add_range, merged, runs_of, subtract_range
from target_service.ledger.events import Batch, Event
from target_service.ledger.group_writer import GroupWriter
from target_service.ledger.latest_standings import LatestStandings
from target_service.ledger.store import Store, create_tables

NUMBERS = st.integers(1, 30)
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


@contextmanager
def tables() -> Iterator[sqlite3.Connection]:
    """The ledger's tables in memory."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    create_tables(connection)
    yield connection
    connection.close()


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("add"), st.integers(1, 5)),
            st.tuples(st.just("subtract"), st.lists(NUMBERS, max_size=6)),
            st.tuples(st.just("subtract"), st.builds(range, NUMBERS, NUMBERS)),
        )
    )
)
def test_ranges_are_a_set_of_numbers(steps: list[tuple[str, int | list[int] | range]]) -> None:
    """Any additions and subtractions leave what they would leave of a set."""
    expected: set[int] = set()
    last = 0
    with tables() as connection:
        for step, value in steps:
            if isinstance(value, int):
                add_range(connection, last + 1, last + value)
                expected |= set(range(last + 1, last + value + 1))
                last += value
            else:
                for first, final in merged(runs_of(value)):
                    subtract_range(connection, first, final)
                expected -= set(value)
            rows = connection.execute("SELECT first, last FROM unprojected ORDER BY 1").fetchall()

            assert expected == {n for first, final in rows for n in range(first, final + 1)}, step
            assert len(expected) == sum(final - first + 1 for first, final in rows)


def test_changes_in_order_are_one_range(tmp_path: Path) -> None:
    """A long outage costs one row, not one for every group."""

    async def scenario() -> list[tuple[int, int]]:
        async with opened(tmp_path / "ledger.db") as ledger:
            for number in range(50):
                await ledger.submit(Event(f"e{number}", f"p{number}", SOLO, number))
        with sqlite3.connect(tmp_path / "ledger.db") as connection:
            rows = connection.execute("SELECT * FROM unprojected").fetchall()
        connection.close()
        return rows

    assert [(1, 50)] == run(scenario())


def test_marks_survive_closing(tmp_path: Path) -> None:
    """A mark made just before the end is not forgotten."""

    async def scenario() -> list[int]:
        async with opened(tmp_path / "ledger.db") as ledger:
            for number in range(4):
                await ledger.submit(Event(f"e{number}", f"p{number}", SOLO, number))
            ledger.mark_projected(range(2, 4))
        async with opened(tmp_path / "ledger.db") as ledger:
            return await pending_changes(ledger)

    assert [1, 4] == run(scenario())


def test_a_mark_that_cannot_be_written_waits(tmp_path: Path) -> None:
    """Marks made while the disk refuses are written when it takes them again."""

    async def scenario() -> tuple[list[int], list[int]]:
        async with opened(tmp_path / "ledger.db") as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 1))
            connection = ledger._writer.connection
            connection.execute("PRAGMA query_only = 1")
            ledger.mark_projected([1])
            before = await pending_changes(ledger)
            connection.execute("PRAGMA query_only = 0")
            return before, await pending_changes(ledger)

    assert ([1], []) == run(scenario())
