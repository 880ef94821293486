"""Followers of the change log and snapshots to start from."""

import asyncio
from pathlib import Path

import pytest
from ledger_opening import NEXT_SEASON, SOLO, opened, run

from target_service.ledger.errors import ChangesTrimmed
from target_service.ledger.events import Batch, Change, Event
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
    """Submit batches until told to stop."""
    number = start
    while not stop.is_set():
        await ledger.submit_batch(batch(number))
        number += 1


def test_a_snapshot_and_the_changes_after_it_are_the_present(tmp_path: Path) -> None:
    """Read while writes and folds go on, a snapshot is exact at its change number."""

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
    """However much is written, memory holds at most two folds' worth of standings."""

    async def scenario() -> int:
        most = 0
        async with opened(tmp_path / "ledger.db", compaction_changes=200, upkeep_rows=50) as ledger:
            for number in range(60):
                await ledger.submit_batch(batch(number, players=6_000))
                most = max(most, len(ledger._writer.latest_standings))
        return most

    assert 200 <= run(scenario()) <= 500
