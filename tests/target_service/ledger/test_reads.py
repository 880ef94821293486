"""Followers of the change log and snapshots to start from."""

import asyncio
from pathlib import Path
from random import Random

import pytest
from ledger_opening import DUO, NEXT_SEASON, SOLO, opened, run

from target_service.ledger.errors import ChangesTrimmed
from target_service.ledger.events import Batch, Change, Event, Standing, Unprojected
from target_service.ledger.sqlite import SqliteLedger

DAY_MS = 86_400_000


def batch(number: int, size: int = 100, players: int = 500) -> Batch:
    """A batch that goes round the players."""
    indexes = range(number * size, (number + 1) * size)
    return Batch(
        SOLO,
        [f"e{index}" for index in indexes],
        [f"p{index * 7 % players}" for index in indexes],
        [index % 101 for index in indexes],
    )


def test_changes_tell_old_and_new_scores(tmp_path: Path) -> None:
    """A follower sees each applied event once, with the score it replaced, in pages."""

    async def scenario() -> tuple[object, object]:
        async with opened(tmp_path / "ledger.db", compaction_changes=1) as ledger:
            await ledger.submit(Event("e1", "ann", SOLO, 5, 2))
            await ledger.submit(Event("e2", "ann", SOLO, 9, 1))
            await ledger.submit(Event("e3", "ann", NEXT_SEASON, 1))
            await ledger.submit(Event("e4", "ann", SOLO, 3, 3))
            return await ledger.changes(0, 2), await ledger.changes(2, 2)

    first, second = run(scenario())

    assert [
        Change(1, "s1", SOLO.name, "ann", None, 5),
        Change(2, "s2", NEXT_SEASON.name, "ann", None, 1),
    ] == first
    assert [Change(3, "s1", SOLO.name, "ann", 5, 3)] == second


def test_a_follower_that_fell_behind_is_told(tmp_path: Path) -> None:
    """Once changes are trimmed, asking for them is an error that says to rebuild."""
    now = [DAY_MS]

    async def scenario() -> tuple[int, object]:
        async with opened(tmp_path / "ledger.db", lambda: now[0]) as ledger:
            for number in range(3):
                await ledger.submit(Event(f"e{number}", "ann", SOLO, number))
            ledger.mark_projected([1, 2])
            now[0] += DAY_MS + 1_000
            await ledger.facts()
            trimmed_to = (await ledger.facts()).trimmed_to
            with pytest.raises(ChangesTrimmed, match="up to 2 are gone, 1 was asked for; rebuild"):
                await ledger.changes(1, 10)
            return trimmed_to, await ledger.changes(2, 10)

    assert (2, [Change(3, "s1", SOLO.name, "ann", 1, 2)]) == run(scenario())


def test_ids_are_kept_a_day_and_then_expire_in_batches(tmp_path: Path) -> None:
    """Within a day a repeat is a duplicate; after it, bounded batches forget the id."""
    now = [DAY_MS]
    statements: list[str] = []

    async def scenario() -> tuple[int, int]:
        async with opened(tmp_path / "ledger.db", lambda: now[0], upkeep_rows=30) as ledger:
            outcome = await ledger.submit_batch(batch(0))
            ledger.mark_projected(outcome.versions)
            now[0] += DAY_MS
            again = await ledger.submit_batch(batch(0))
            await ledger.facts()
            now[0] += 1_000
            ledger._writer.connection.set_trace_callback(statements.append)
            while (await ledger.facts()).trimmed_to < 100:
                pass
            ledger._writer.connection.set_trace_callback(None)
            return len(again.duplicate), len((await ledger.submit_batch(batch(0))).versions)

    assert (100, 100) == run(scenario())
    trims = [text for text in statements if text.startswith("UPDATE state SET trimmed_to")]
    assert [30, 60, 90, 100] == [int(text.rpartition(" ")[2]) for text in trims]


async def write_on(ledger: SqliteLedger, start: int, stop: asyncio.Event) -> None:
    """Submit batches until the event is set."""
    number = start
    while not stop.is_set():
        await ledger.submit_batch(batch(number))
        number += 1


def test_a_snapshot_and_the_changes_after_it_are_the_present(tmp_path: Path) -> None:
    """Read during writes and compactions, a snapshot is exact at its change number."""

    async def scenario() -> tuple[dict[str, int], dict[str, int], int]:
        path, stop = tmp_path / "ledger.db", asyncio.Event()
        async with (
            opened(path, compaction_changes=150, upkeep_rows=40) as ledger,
            opened(path, compaction_changes=150, upkeep_rows=40) as other,
        ):
            writing = asyncio.create_task(write_on(ledger, 0, stop))
            while (await other.facts()).last_change < 500:
                pass
            scores: dict[str, int] = {}
            with other.snapshot("s1", page_size=17) as snapshot:
                while page := await asyncio.to_thread(next, snapshot, None):
                    assert not scores.keys() & {one.player_id for one in page}
                    assert max(one.version for one in page) <= snapshot.change
                    scores |= {one.player_id: one.score for one in page}
            stop.set()
            await writing
            later = await ledger.changes(snapshot.change, 1_000_000)
            for change in later:
                assert scores.get(change.player_id) == change.old_score
                scores[change.player_id] = change.new_score
            present = await ledger.standings("s1", list(scores))
            return scores, {key: one.score for key, one in present.items()}, len(later)

    followed, present, later = run(scenario())

    assert present == followed
    assert later > 0


def test_an_empty_season_has_no_pages(tmp_path: Path) -> None:
    """Nothing stored, nothing read."""

    async def scenario() -> tuple[int, list[object], dict[str, object]]:
        async with opened(tmp_path / "ledger.db") as ledger:
            with ledger.snapshot("s1") as snapshot:
                return snapshot.change, list(snapshot), dict(await ledger.standings("s1", ["ann"]))

    assert (0, [], {}) == run(scenario())


def test_a_ledger_keeps_its_identity(tmp_path: Path) -> None:
    """A projection can tell whether it was made from this ledger or from another one."""

    async def identity(name: str) -> str:
        async with opened(tmp_path / name) as ledger:
            return (await ledger.facts()).ledger_id

    assert run(identity("one.db")) == run(identity("one.db"))
    assert run(identity("one.db")) != run(identity("two.db"))


def test_memory_holds_a_bounded_tail(tmp_path: Path) -> None:
    """However much is written, memory holds the standings of two compactions at most."""

    async def scenario() -> int:
        most = 0
        async with opened(tmp_path / "ledger.db", compaction_changes=200, upkeep_rows=50) as ledger:
            for number in range(60):
                await ledger.submit_batch(batch(number, players=6_000))
                most = max(most, len(ledger._writer.latest_standings))
        return most

    assert 200 <= run(scenario()) <= 500


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
    """They were stored before the clock was set back, and no request still writes them."""
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
    """Project what is pending until `done` is set and nothing is left."""
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

    async def write(ledger: SqliteLedger, writer: int) -> None:
        for number in range(40):
            players = [f"p{rng.randrange(15)}" for _ in range(5)]
            ids = [f"{writer}-{number}-{index}" for index in range(5)]
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
