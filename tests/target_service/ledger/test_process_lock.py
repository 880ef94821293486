"""Several processes on one file: fairness, patience, and what survives a death."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path

import pytest
from ledger_children import Child, children
from ledger_opening import opened, pending_changes, run
from ledger_process import CROWD, made_batch
from ledger_truth import LedgerTruth

from target_service.ledger.errors import LedgerBusy
from target_service.ledger.events import BatchOutcome, Standing
from target_service.ledger.leases import pause_job
from target_service.ledger.sqlite import SqliteLedger
from target_service.ledger.store import Store

NOW = 1_000_000
# Some fifty batches, of which the processes know all but the last few to be stored.
LIFE_CHANGES = 1_500


async def standings_of(ledger: SqliteLedger) -> dict[str, Standing]:
    """Every standing there is, by player."""
    with ledger.snapshot("s1") as snapshot:
        return {one.player_id: one for page in snapshot for one in page}


def is_fair(versions: Sequence[Sequence[int]]) -> bool:
    """Whether processes that wrote without a pause, these groups each, took turns."""
    numbers = {version: who for who, own in enumerate(versions) for version in own}
    order = [numbers[version] for version in sorted(numbers)]
    first_done = min(len(order) - order[::-1].index(who) for who in range(len(versions)))
    contended = order[: first_done - len(versions)]
    runs = [len(list(run_of)) for _, run_of in groupby(contended)]
    has_been = len(contended) > len(order) / 2
    return has_been and max(runs) <= 12 and sum(runs) / len(runs) < 2.5


@pytest.mark.parametrize("processes", [2, 4])
def test_processes_share_a_file_fairly(tmp_path: Path, processes: int) -> None:
    """Processes that write without a pause take turns; none waits while another has many.

    In most rounds: a process that the machine holds up is passed by all others, as it should be.
    """
    rounds, groups = 5, 20
    started = [
        Child(tmp_path / "ledger.db", "turns", name=f"p{number}", rounds=rounds, groups=groups)
        for number in range(processes)
    ]
    answers = []
    with children(*started):
        for number in range(rounds):
            if number:
                for child in started:
                    child.let_go()
            answers.append([child.answer()["versions"] for child in started])

    assert all(len(own) == groups for round_of in answers for own in round_of)
    assert sum(map(is_fair, answers)) > rounds / 2


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_highest_sequence_wins_between_processes(tmp_path: Path, seed: int) -> None:
    """However the sequences of one player arrive at two workers, the highest one stands."""
    path, writers = tmp_path / "ledger.db", 40
    started = [
        Child(path, "race", name="same", seed=seed + offset, writers=writers) for offset in (0, 100)
    ]
    with children(*started):
        for child in started:
            child.answers()

    async def scenario() -> tuple[Standing, list[int], list[int]]:
        async with opened(path) as ledger:
            changes = await ledger.changes(0, 1_000_000)
            scores = [change.new_score for change in changes]
            return (
                (await ledger.standings("s1", ["hero"]))["hero"],
                scores,
                [c.number for c in changes],
            )

    hero, scores, numbers = run(scenario())
    highest = writers * CROWD

    assert (highest, highest * 10) == (hero.sequence, hero.score)
    assert sorted(set(scores)) == scores
    assert list(range(1, len(numbers) + 1)) == numbers


def last_change(path: Path) -> int:
    """How many changes the file holds, as another connection sees it."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        (number,) = connection.execute("SELECT last_change FROM state").fetchone()
    return int(number)


def lives(path: Path, count: int) -> dict[tuple[str, int], range]:
    """Start two processes and kill them, again and again; return the answers they got meanwhile."""
    acknowledged: dict[tuple[str, int], range] = {}
    for life in range(count):
        started = [Child(path, "write", name=f"w{n}", start=life * 100_000) for n in range(2)]
        enough = last_change(path) + LIFE_CHANGES
        with children(*started):
            while last_change(path) < enough:
                assert [None, None] == [child.process.poll() for child in started]
                time.sleep(0.02)
            for child in started:
                child.process.kill()
            for number, child in enumerate(started):
                for answer in child.answers():
                    acknowledged[f"w{number}", answer["batch"]] = range(*answer["versions"])
    return acknowledged


def replayed(path: Path) -> tuple[LedgerTruth, dict[tuple[str, int], range]]:
    """Submit to the truth, whole and in their order, the batches the file holds rows of."""
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT event_id FROM events ORDER BY change").fetchall()
    connection.close()
    truth, stored = LedgerTruth(), {}
    for name, _ in groupby(event_id.rpartition("-")[0] for (event_id,) in rows):
        writer, _, number = name.partition("-")
        outcome = truth.submit_batch(made_batch(writer, int(number)), 0)
        stored[writer, int(number)] = outcome.versions
    assert [event_id for (event_id,) in rows] == list(truth.numbers)
    return truth, stored


def test_what_was_answered_survives_kill_9(tmp_path: Path) -> None:
    """Killed again and again: every answer holds, and no batch is there in part."""
    path = tmp_path / "ledger.db"
    acknowledged = lives(path, 4)

    async def scenario() -> tuple[dict[str, Standing], set[int], list[BatchOutcome]]:
        async with opened(path) as ledger:
            standings, pending = await standings_of(ledger), set(await pending_changes(ledger))
            again = [await ledger.submit_batch(made_batch(*key)) for key in acknowledged]
            return standings, pending, again

    standings, pending, again = run(scenario())
    truth, stored = replayed(path)

    assert len(acknowledged) > 40
    assert {key: stored.get(key, range(0)) for key in acknowledged} == acknowledged
    assert {key[1]: standing for key, standing in truth.standings.items()} == standings
    assert [len(versions) for versions in acknowledged.values()] == [
        len(outcome.duplicate) for outcome in again
    ]
    assert not any(outcome.versions for outcome in again)
    for (_, number), versions in acknowledged.items():
        assert number % 3 or pending.issuperset(versions)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A file with the ledger's tables."""
    store = Store(tmp_path / "ledger.db", "normal", patience_seconds=0.1)
    store.prepare()
    yield store
    store.process_lock.close()


def test_a_lock_held_too_long_is_an_error(store: Store) -> None:
    """A writer that waits longer than its patience gets an error that says so."""
    other = Store(store.path, "normal", patience_seconds=0.05)
    connection = other.connect()
    with store.process_lock.held(), pytest.raises(LedgerBusy, match=r"kept .* for 0\.05 s"):  # noqa: SIM117 - the second is what fails
        with other.write_transaction(connection):
            pass
    with other.write_transaction(connection):
        pause_job(connection, "free again", NOW)
    connection.close()
    other.process_lock.close()
