"""What waits to be projected, and projectors that take it from there."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_opening import DUO, SOLO, opened, pending_changes, run

from target_service.ledger.compaction import add_range, merged, runs_of, subtract_range
from target_service.ledger.events import Batch, Event, Standing, Unprojected
from target_service.ledger.sqlite import SqliteLedger
from target_service.ledger.store import create_tables

NUMBERS = st.integers(1, 30)


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


def test_unprojected_changes_come_with_the_latest_standings(tmp_path: Path) -> None:
    """A player's older change leads to the newest score, so a replay cannot go backwards."""
    events = [
        Event("e1", "ann", SOLO, 1, 1),
        Event("e2", "bob", DUO, 2, 1),
        Event("e3", "ann", SOLO, 3, 2),
        Event("e4", "cas", SOLO, 4),
    ]

    async def scenario() -> tuple[object, object]:
        async with opened(tmp_path / "ledger.db") as ledger:
            for event in events:
                await ledger.submit(event)
            ledger.mark_projected([3])
            return await ledger.unprojected(100, 2**62), await ledger.unprojected(1, 2**62)

    ann = Standing("s1", SOLO.name, "ann", 3, 2, 3)
    bob = Standing("s1", DUO.name, "bob", 2, 1, 2)
    cas = Standing("s1", SOLO.name, "cas", 4, None, 4)
    everything, oldest = run(scenario())

    assert [
        Unprojected("s1", SOLO.name, [1, 4], [ann, cas]),
        Unprojected("s1", DUO.name, [2], [bob]),
    ] == everything
    assert [Unprojected("s1", SOLO.name, [1], [ann])] == oldest


def test_boards_may_be_passed_over(tmp_path: Path) -> None:
    """However much waits for a board that takes nothing, the others' changes are found."""
    events = [Event(f"e{n}", f"p{n}", SOLO, n) for n in range(20)] + [Event("last", "ann", DUO, 7)]

    async def scenario() -> tuple[object, object]:
        async with opened(tmp_path / "ledger.db") as ledger:
            for event in events:
                await ledger.submit(event)
            others = await ledger.unprojected(10, 2**62, [SOLO])
            return others, await ledger.unprojected(10, 2**62, [SOLO, DUO])

    ann = Standing("s1", DUO.name, "ann", 7, None, 21)

    assert ([Unprojected("s1", DUO.name, [21], [ann])], []) == run(scenario())


def test_changes_of_a_time_to_come_are_not_waited_for(tmp_path: Path) -> None:
    """They were stored before the clock was set back, and are on nobody's way any more."""
    now = [1_000_000]

    async def scenario() -> list[int]:
        async with opened(tmp_path / "ledger.db", lambda: now[0]) as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 1))
            now[0] -= 60_000
            await ledger.submit(Event("e2", "bob", SOLO, 2))
            settled = await ledger.unprojected(100, now[0] - 500)
            return [n for board in settled for n in board.changes]

    assert [1] == run(scenario())


def test_young_changes_are_left_to_those_who_write_them(tmp_path: Path) -> None:
    """A projector asks for changes older than what is still on its way."""
    now = [1_000_000]

    async def scenario() -> tuple[list[int], int | None, int]:
        async with opened(tmp_path / "ledger.db", lambda: now[0]) as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 1))
            now[0] += 500
            await ledger.submit(Event("e2", "bob", SOLO, 2))
            settled = await ledger.unprojected(100, now[0] - 500)
            facts = await ledger.facts()
            changes = [n for board in settled for n in board.changes]
            return changes, facts.oldest_unprojected_ms, facts.unprojected

    assert ([1], 1_000_000, 2) == run(scenario())


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


class GuardedBoards:
    """A projection as Redis keeps it: a version beside every score, answers that get lost."""

    def __init__(self, seed: int) -> None:
        self.rows: dict[str, tuple[int, int]] = {}
        self.went_backwards = 0
        self._rng = Random(seed)

    async def write(self, standing: Standing) -> bool:
        """Write unless a newer version is there; False when the outcome is not known."""
        for _ in range(self._rng.randrange(4)):
            await asyncio.sleep(0)
        arrives, answered = self._rng.random() < 0.8, self._rng.random() < 0.8
        if arrives:
            _, version = self.rows.get(standing.player_id, (0, 0))
            if standing.version > version:
                self.rows[standing.player_id] = (standing.score, standing.version)
        return arrives and answered


async def project(ledger: SqliteLedger, boards: GuardedBoards, done: asyncio.Event) -> None:
    """Project what is pending until told to stop and nothing is left."""
    while True:
        pending = await ledger.unprojected(20, 2**62)
        if not pending and done.is_set():
            return
        for board in pending:
            written = [await boards.write(standing) for standing in board.standings]
            if all(written):
                ledger.mark_projected(board.changes)
        await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(5))
def test_two_projectors_and_lost_answers_end_with_the_truth(tmp_path: Path, seed: int) -> None:
    """Two projectors at once, on two workers, bring every player's newest score and no older."""
    rng = Random(seed)
    boards = GuardedBoards(seed)

    async def write(ledger: SqliteLedger, lane: int) -> None:
        for number in range(40):
            players = [f"p{rng.randrange(15)}" for _ in range(5)]
            ids = [f"{lane}-{number}-{index}" for index in range(5)]
            outcome = await ledger.submit_batch(
                Batch(SOLO, ids, players, [rng.randrange(1_000) for _ in ids])
            )
            assert 5 == len(outcome.versions)

    async def scenario() -> tuple[dict[str, tuple[int, int]], int]:
        path, done = tmp_path / "ledger.db", asyncio.Event()
        async with (
            opened(path, compaction_changes=20, upkeep_rows=4) as one,
            opened(path, compaction_changes=20, upkeep_rows=4) as other,
        ):
            projectors = [asyncio.create_task(project(n, boards, done)) for n in (one, other)]
            await asyncio.gather(write(one, 1), write(other, 2))
            done.set()
            await asyncio.gather(*projectors)
            with one.snapshot("s1") as snapshot:
                standings = [standing for page in snapshot for standing in page]
            facts = await one.facts()
            return {s.player_id: (s.score, s.version) for s in standings}, facts.unprojected

    truth, unprojected = run(scenario())

    assert truth == boards.rows
    assert 0 == unprojected
