"""Groups: one commit for many, bounded queues, and one bad submission alone."""

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ledger_opening import QUICK, SOLO, opened, run

from target_service.ledger.errors import LedgerBusy, LedgerClosed
from target_service.ledger.events import Batch, Event, Outcome, Status
from target_service.ledger.sqlite import SqliteLedger


def event(number: int, sequence: int | None = None) -> Event:
    """An event of a player of its own."""
    return Event(f"e{number}", f"player-{number}", SOLO, number, sequence)


@dataclass
class Stall:
    """A writer that waits before its next group until the test lets it go."""

    stands: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)

    async def begun(self) -> None:
        """Wait until it has taken the group."""
        assert await asyncio.to_thread(self.stands.wait, 60)


def stall(ledger: SqliteLedger) -> Stall:
    """Keep the writer from its next group until it is let go."""
    stalled = Stall()
    write = ledger._writer._groups.write_group

    def waiting(batches: list[Batch], at_ms: int) -> object:
        stalled.stands.set()
        stalled.go_on.wait(60)
        return write(batches, at_ms)

    ledger._writer._groups.write_group = waiting  # type: ignore[method-assign, assignment]  # a slow disk
    return stalled


def test_what_gathers_during_a_commit_is_one_commit(tmp_path: Path) -> None:
    """A thousand events that arrive while one is stored cost one commit more, not a thousand."""
    groups: list[int] = []
    statements: list[str] = []

    async def scenario() -> int:
        async with opened(
            tmp_path / "ledger.db",
            on_commit=lambda _, n: groups.append(n),
            compaction_seconds=3_600,
            upkeep_seconds=3_600,
        ) as ledger:
            ledger._writer.connection.set_trace_callback(statements.append)
            stalled = stall(ledger)
            first = ledger.submit(event(0))
            await stalled.begun()
            answers = [ledger.submit(event(number)) for number in range(1, 1_001)]
            stalled.go_on.set()
            outcomes = await asyncio.gather(first, *answers)
            ledger._writer.connection.set_trace_callback(None)
            return len({outcome.version for outcome in outcomes})

    assert 1_001 == run(scenario())
    assert [1, 1_000] == groups
    written = [text for text in statements if text.startswith("INSERT INTO events")]
    assert written
    assert statements.count("COMMIT") <= 3


@pytest.mark.parametrize(("sync", "level"), [("full", 2), ("normal", 1)])
def test_the_disk_is_asked_as_often_as_the_label_says(
    tmp_path: Path, sync: str, level: int
) -> None:
    """`full` commits groups at level FULL, `normal` at NORMAL, also after unsynced upkeep."""
    levels: list[int] = []

    async def scenario() -> None:
        async with opened(tmp_path / "ledger.db", sync=sync, compaction_changes=1) as ledger:
            connection = ledger._writer.connection
            levels.append(connection.execute("PRAGMA synchronous").fetchone()[0])
            for number in range(3):
                await ledger.submit(event(number))
                await ledger.facts()
            levels.append(connection.execute("PRAGMA synchronous").fetchone()[0])

    run(scenario())

    assert [level, level] == levels


def test_a_full_queue_refuses_at_once(tmp_path: Path) -> None:
    """Beyond the bound an event is refused with a time to wait, and what waits is stored."""

    async def scenario() -> list[Status]:
        async with opened(tmp_path / "ledger.db", queue_events=10) as ledger:
            stalled = stall(ledger)
            first = ledger.submit(event(0))
            await stalled.begun()
            waiting = [ledger.submit(event(number)) for number in range(1, 11)]
            with pytest.raises(LedgerBusy, match="10 events already wait") as refused:
                ledger.submit(event(11))
            assert refused.value.retry_after_seconds == 1
            stalled.go_on.set()
            outcomes = await asyncio.gather(first, *waiting)
            return [outcome.status for outcome in outcomes] + [
                (await ledger.submit(event(11))).status
            ]

    assert [Status.APPLIED] * 12 == run(scenario())


def test_a_group_is_bounded(tmp_path: Path) -> None:
    """A group takes no more submissions once it is large enough."""
    groups: list[int] = []

    async def scenario() -> None:
        path = tmp_path / "ledger.db"
        async with opened(path, on_commit=lambda _, n: groups.append(n), group_events=4) as ledger:
            stalled = stall(ledger)
            answers = [ledger.submit(event(0))]
            await stalled.begun()
            answers += [ledger.submit(event(number)) for number in range(1, 11)]
            stalled.go_on.set()
            await asyncio.gather(*answers)

    run(scenario())

    assert [1, 4, 4, 2] == groups


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (Event("bad", "ann", SOLO, 2**63), OverflowError),
        (Event("bad", "\ud800", SOLO, 1), UnicodeEncodeError),
    ],
)
def test_one_bad_submission_fails_alone(tmp_path: Path, bad: Event, error: type[Exception]) -> None:
    """What cannot be stored is its sender's trouble; its group is stored."""

    async def scenario() -> list[object]:
        async with opened(tmp_path / "ledger.db") as ledger:
            stalled = stall(ledger)
            answers = [ledger.submit(one) for one in (event(1), bad, event(2))]
            stalled.go_on.set()
            return list(await asyncio.gather(*answers, return_exceptions=True))

    first, failed, last = run(scenario())

    assert Outcome(Status.APPLIED, 1) == first
    assert isinstance(failed, error)
    assert Outcome(Status.APPLIED, 2) == last


def test_a_group_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    """When a group fails half written, file and memory are as before, and it applies later."""

    async def scenario() -> tuple[type[object], list[Status], int]:
        async with opened(tmp_path / "ledger.db") as ledger:
            await ledger.submit(event(1, 5))
            insert = ledger._writer._groups._insert
            run_as_before = insert.run

            def run_and_fail(connection: sqlite3.Connection, values: list[object]) -> None:
                insert.run = run_as_before  # type: ignore[method-assign]  # it fails once
                run_as_before(connection, values)  # type: ignore[arg-type]  # rows of events
                raise OSError

            insert.run = run_and_fail  # type: ignore[method-assign, assignment]  # a fault
            later = Event("e2", "player-1", SOLO, 7, 6)
            failed = await asyncio.gather(ledger.submit(later), return_exceptions=True)
            again = [(await ledger.submit(later)).status for _ in range(2)]
            return type(failed[0]), again, (await ledger.facts()).last_change

    assert (OSError, [Status.APPLIED, Status.DUPLICATE], 2) == run(scenario())


def test_a_caller_that_gave_up_disturbs_nobody(tmp_path: Path) -> None:
    """A cancelled future is left alone; its event is stored all the same."""

    async def scenario() -> list[Status]:
        async with opened(tmp_path / "ledger.db") as ledger:
            stalled = stall(ledger)
            impatient, patient = ledger.submit(event(1)), ledger.submit(event(2))
            impatient.cancel()
            stalled.go_on.set()
            return [(await patient).status, (await ledger.submit(event(1))).status]

    assert [Status.APPLIED, Status.DUPLICATE] == run(scenario())


def test_each_loop_gets_its_own_answers(tmp_path: Path) -> None:
    """Loops in several threads submit to one ledger, and each is answered on its own."""
    ledger = SqliteLedger(tmp_path / "ledger.db", QUICK)
    found: dict[int, list[Status]] = {}

    def worker(caller: int) -> None:
        async def submit() -> list[Status]:
            numbers = range(caller * 100, caller * 100 + 50)
            outcomes = await asyncio.gather(*(ledger.submit(event(n)) for n in numbers))
            return [outcome.status for outcome in outcomes]

        found[caller] = run(submit())

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(worker, range(4)))
    run(ledger.close())

    assert {caller: [Status.APPLIED] * 50 for caller in range(4)} == found


def test_closing_answers_what_is_queued_and_refuses_the_rest(tmp_path: Path) -> None:
    """Close waits for the queue; afterwards every call says that the ledger is closed."""

    async def scenario() -> Status:
        ledger = SqliteLedger(tmp_path / "ledger.db", QUICK)
        queued = ledger.submit(event(1))
        await ledger.close()
        with pytest.raises(LedgerClosed, match="closed"):
            ledger.submit(event(2))
        with pytest.raises(LedgerClosed, match="closed"):
            await ledger.facts()
        await ledger.close()
        return (await queued).status

    assert Status.APPLIED == run(scenario())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_writer_that_dies_answers_every_caller(tmp_path: Path) -> None:
    """If a defect ends the thread, every caller gets an error."""

    async def scenario() -> None:
        async with opened(tmp_path / "ledger.db") as ledger:
            ledger._writer.upkeep.due = lambda _now_ms: 1 // 0  # type: ignore[method-assign, assignment, return-value]  # a defect
            with pytest.raises(LedgerClosed, match="before it could answer"):
                await ledger.facts()
            with pytest.raises(LedgerClosed, match="died"):
                ledger.submit(event(1))

    run(scenario())
