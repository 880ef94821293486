"""Any interleaving on two ledgers that share a file does what the truth model does."""

import asyncio
import shutil
import sqlite3
import tempfile
from collections import Counter
from dataclasses import astuple, replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule
from ledger_opening import DUO, NEXT_SEASON, QUICK, SOLO, pending_changes
from ledger_truth import LedgerTruth

from target_service.ledger.errors import ChangesTrimmed
from target_service.ledger.events import Batch, BatchOutcome, Event, Outcome, Status
from target_service.ledger.reads import ScoreMovesQuery
from target_service.ledger.sqlite import SqliteLedger

HOUR_MS = 3_600_000
KEPT_MS = 24 * HOUR_MS

# Small compactions in smaller slices, so that every step meets one that is half done.
OPTIONS = replace(QUICK, compaction_changes=5, compaction_seconds=3_600.0, upkeep_rows=2)

players = st.sampled_from(["ann", "bob", "cas", "d\u00e9", "\U0001f3c1"])
boards = st.sampled_from([SOLO, DUO, NEXT_SEASON])
scores = st.one_of(st.integers(0, 3), st.sampled_from([-(2**53 - 1), 2**53 - 1]))
sequences = st.one_of(st.none(), st.integers(1, 8), st.just(2**53 - 1))
ids = st.integers(0, 25).map("event-{}".format)
events = st.builds(Event, ids, players, boards, scores, sequences)
rows = st.lists(st.tuples(ids, players, scores, sequences), min_size=1, max_size=8)
which = st.integers(0, 1)


def batch_of(board: object, columns: list[tuple[str, str, int, int | None]]) -> Batch:
    """Turn drawn rows into a batch."""
    event_ids, player_ids, batch_scores, batch_sequences = zip(*columns, strict=True)
    return Batch(board, event_ids, player_ids, batch_scores, batch_sequences)  # type: ignore[arg-type]  # drawn from boards


class TwoLedgers(RuleBasedStateMachine):
    """Two workers on one file beside one dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "ledger.db"
        self.now_ms = 1_788_000_000_000
        self.truth = LedgerTruth()
        self.ledgers = [self.open(), self.open()]

    def open(self) -> SqliteLedger:
        """Open the file once more."""
        return SqliteLedger(self.path, OPTIONS, lambda: self.now_ms)

    @rule(worker=which, drawn=events)
    def submit(self, worker: int, drawn: Event) -> None:
        """One event."""

        async def submit() -> Outcome:
            return await self.ledgers[worker].submit(drawn)

        expected = self.truth.submit(drawn, self.now_ms).replace("_", "-")
        version = self.truth.last_change if expected == "applied" else None

        assert Outcome(Status(expected), version) == self.loop.run(submit())

    @rule(worker=which, board=boards, columns=rows, single=events, retried=st.booleans())
    def submit_group(
        self,
        worker: int,
        board: object,
        columns: list[tuple[str, str, int, int | None]],
        single: Event,
        retried: bool,
    ) -> None:
        """A batch, a single event and the batch again, all on their way at once."""
        batch = batch_of(board, columns)

        async def submit() -> tuple[BatchOutcome, Outcome, list[BatchOutcome]]:
            ledger = self.ledgers[worker]
            first, between = ledger.submit_batch(batch), ledger.submit(single)
            again = [ledger.submit_batch(batch)] if retried else []
            return await first, await between, [await one for one in again]

        first = self.truth.submit_batch(batch, self.now_ms)
        between = Status(self.truth.submit(single, self.now_ms).replace("_", "-"))
        again = [self.truth.submit_batch(batch, self.now_ms)] if retried else []
        answers = self.loop.run(submit())

        assert (first, between, again) == (answers[0], answers[1].status, answers[2])

    @rule(worker=which, data=st.data())
    def mark(self, worker: int, data: st.DataObject) -> None:
        """Any changes, marked ones among them, as a range or one by one."""
        numbers = st.integers(1, max(1, self.truth.last_change))
        marked = data.draw(st.one_of(st.lists(numbers), st.builds(range, numbers, numbers)))
        self.ledgers[worker].mark_projected(marked)
        self.truth.unprojected -= set(marked)
        self.pass_time(1_000, worker)

    @rule(hours=st.sampled_from([1, 12, 25]), worker=which)
    def wait(self, hours: int, worker: int) -> None:
        """Hours pass."""
        self.pass_time(hours * HOUR_MS, worker)

    def pass_time(self, elapsed_ms: int, worker: int) -> None:
        """Time passes until every id is forgotten that may be."""
        self.now_ms += elapsed_ms
        self.truth.expire(self.now_ms - KEPT_MS)
        for attempt in range(1, 201):
            facts = self.loop.run(self.ledgers[worker].facts())
            if facts.trimmed_to == self.truth.trimmed_to:
                break
            if attempt % 20 == 0:
                # A process that saw a compaction from before the leap waits for the next one.
                self.now_ms += int(OPTIONS.compaction_seconds * 1_000)
                self.truth.expire(self.now_ms - KEPT_MS)

        assert self.truth.trimmed_to == facts.trimmed_to

    @rule(worker=which)
    def restart(self, worker: int) -> None:
        """One worker is closed and started again."""
        self.loop.run(self.ledgers[worker].close())
        self.ledgers[worker] = self.open()

    @rule()
    def die(self) -> None:
        """Both processes vanish between two commits; only what is on the disk goes on."""
        copy = Path(tempfile.mkdtemp(dir=self.folder)) / "ledger.db"
        with self.ledgers[0]._store.process_lock.held():
            for suffix in ("", "-wal"):
                shutil.copy(f"{self.path}{suffix}", f"{copy}{suffix}")
        for ledger in self.ledgers:
            self.loop.run(ledger.close())
        self.path = copy
        self.ledgers = [self.open(), self.open()]

    @rule(worker=which)
    def ask(self, worker: int) -> None:
        """One worker has the true answer to everything, however long it had nothing to do."""
        self.loop.run(self.compare(self.ledgers[worker]))

    async def compare(self, ledger: SqliteLedger) -> None:
        """Compare every read, and the tables that any program may read, with the truth."""
        with sqlite3.connect(self.path) as connection:
            seen = connection.execute("SELECT * FROM standings").fetchall()
        connection.close()
        assert {astuple(one) for one in self.truth.standings.values()} == {
            (*row[:4], row[4] or None, row[5]) for row in seen
        }
        assert len(self.truth.standings) == len(seen)
        facts = await ledger.facts()
        assert self.truth.last_change == facts.last_change
        assert len(self.truth.unprojected) == facts.unprojected
        assert sorted(self.truth.unprojected) == await pending_changes(ledger)
        kept = self.truth.changes[self.truth.trimmed_to :]
        assert kept == await ledger.changes(self.truth.trimmed_to, 10_000)
        if self.truth.trimmed_to:
            try:
                await ledger.changes(self.truth.trimmed_to - 1, 1)
            except ChangesTrimmed:
                pass
            else:
                raise AssertionError("Trimmed changes were answered.")
        for season in ("s1", "s2"):
            expected = {key[1]: s for key, s in self.truth.standings.items() if key[0] == season}
            assert expected == await ledger.standings(season, [*expected, "nobody"])
            with ledger.snapshot(season, page_size=2) as snapshot:
                pages = list(snapshot)
            assert self.truth.last_change == snapshot.change
            assert max(map(len, pages), default=0) <= 2
            assert len(expected) == sum(map(len, pages))
            assert expected == {one.player_id: one for page in pages for one in page}
        for names in ([SOLO.name], [SOLO.name, DUO.name]):
            await self.compare_scores(ledger, names)

    async def compare_scores(self, ledger: SqliteLedger, boards: list[str]) -> None:
        """Ask who has which score on some boards of a season, and what has moved of late."""
        truth = self.truth
        standings = {k[1]: s for k, s in truth.standings.items() if k[0] == "s1"}
        scores = Counter(one.score for one in standings.values() if one.board in boards)
        with ledger.counted_scores("s1", boards, page_scores=2) as counted:
            pages = list(counted.pages)
        assert truth.last_change == counted.change
        assert max(map(len, pages), default=0) <= 2
        assert sorted(scores.items()) == [pair for page in pages for pair in page]
        kept = [one for one in truth.changes[truth.trimmed_to :] if one.board in boards]
        to = min(truth.last_change, truth.trimmed_to + 3)
        moved = [one for one in kept if one.season == "s1" and one.number <= to]
        players = [*standings, "nobody"]
        moves = await ledger.score_moves(
            ScoreMovesQuery("s1", boards, truth.trimmed_to, 3, players)
        )
        assert (to, truth.last_change, standings) == (moves.to, moves.last_change, moves.standings)
        assert [one.new_score for one in moved] == moves.new_scores
        assert [s for one in moved if (s := one.old_score) is not None] == moves.old_scores

    def teardown(self) -> None:
        """Compare once more and close everything."""
        for ledger in self.ledgers:
            self.loop.run(self.compare(ledger))
            self.loop.run(ledger.close())
        self.loop.close()
        shutil.rmtree(self.folder)


TestTwoLedgers = TwoLedgers.TestCase
TestTwoLedgers.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
