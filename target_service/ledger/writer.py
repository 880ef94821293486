"""The one thread of a process that writes to the ledger's file."""

import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress

from target_service.ledger.checkpointer import checkpoint
from target_service.ledger.compaction import Compaction, Upkeep
from target_service.ledger.errors import LedgerBusy, LedgerClosed, LedgerError
from target_service.ledger.events import LedgerOptions
from target_service.ledger.group_writer import GroupWriter
from target_service.ledger.latest_standings import LatestStandings
from target_service.ledger.store import Store
from target_service.ledger.write_queue import Read, Submission, Work, WriteQueue, answer

_TAILS_AT_MOST = 4

CommitObserver = Callable[[float, int], None]


class Writer:
    """Takes groups from the write queue, stores each in one commit, then answers its callers.

    While one group is on its way to the disk, the next one gathers: the slower the disk, the
    larger the groups. Reads are answered between groups.
    """

    def __init__(
        self,
        store: Store,
        write_queue: WriteQueue,
        options: LedgerOptions,
        now_ms: Callable[[], int],
        on_commit: CommitObserver,
    ) -> None:
        self.connection = store.connect()
        self.latest_standings = LatestStandings()
        self.trouble: str | None = None
        compaction = Compaction(
            self.latest_standings,
            uuid.uuid4().hex,
            options.compaction_changes,
            int(options.compaction_seconds * 1_000),
        )
        self.upkeep = Upkeep(store, self.latest_standings, compaction, options)
        self._work = Work([], [], closing=False)
        self._groups = GroupWriter(store, self.connection, self.latest_standings)
        self._store = store
        self._write_queue = write_queue
        self._options = options
        self._now_ms = now_ms
        self._on_commit = on_commit
        with store.read_transaction(self.connection):
            self.latest_standings.catch_up(self.connection)
        self._thread = threading.Thread(target=self._run, name="ledger-writer", daemon=True)

    def start(self) -> None:
        """Begin to take from the write queue."""
        self._thread.start()

    def join(self) -> None:
        """Wait until everything queued is answered and the file is closed."""
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._take_and_serve():
                pass
            self._finish()
        finally:
            self._write_queue.close("The ledger's writer has died; restart the service.")
            closed = LedgerClosed("The ledger closed before it could answer.")
            waiting = [*self._work.promises(), *self._write_queue.drain()]
            answer((promise, closed) for promise in waiting)
            self.connection.close()

    def _take_and_serve(self) -> bool:
        work = self._write_queue.take(0 if self.upkeep.urgent else self._options.upkeep_seconds)
        self._work = work
        if work.submissions or self.upkeep.due(self._now_ms()):
            self._write(work.submissions)
        for read in work.reads:
            self._answer(read)
        return not work.closing

    def _write(self, submissions: Sequence[Submission]) -> None:
        try:
            with self._store.process_lock.held():
                events = sum(len(one.batch) for one in submissions)
                if submissions:
                    self._commit(submissions)
                    submissions = ()
                self.upkeep.run(self.connection, self._now_ms(), events)
        except LedgerError as error:
            self.trouble = str(error)
            answer((one.promise, error) for one in submissions)

    def _commit(self, submissions: Sequence[Submission]) -> None:
        started = time.perf_counter()
        try:
            self._refuse_when_compaction_is_behind()
            outcomes = self._groups.write_group([one.batch for one in submissions], self._now_ms())
        except LedgerError as error:
            self.trouble = str(error)
            answer((one.promise, error) for one in submissions)
        except Exception as error:  # noqa: BLE001 - an error goes to its sender only
            if len(submissions) == 1:
                answer([(submissions[0].promise, error)])
                return
            for one in submissions:
                self._commit([one])
        else:
            self.trouble = None
            self._on_commit(time.perf_counter() - started, sum(len(o.versions) for o in outcomes))
            answer(
                (one.promise, outcome.single() if one.single else outcome)
                for one, outcome in zip(submissions, outcomes, strict=True)
            )

    def _refuse_when_compaction_is_behind(self) -> None:
        """Keep memory bounded when the process that compacts has stopped."""
        if len(self.latest_standings) > _TAILS_AT_MOST * self._options.compaction_changes:
            raise LedgerBusy("Too many changes wait for compaction; try again.")

    def _answer(self, read: Read) -> None:
        value: object
        try:
            with self._store.read_transaction(self.connection):
                self.latest_standings.catch_up(self.connection)
                value = read.query()
        except Exception as error:  # noqa: BLE001 - raised to the caller
            value = error
        answer([(read.promise, value)])

    def _finish(self) -> None:
        """Leave the file compacted, so that any reader finds the truth in its plain tables."""
        with suppress(LedgerError), self._store.process_lock.held():
            self.upkeep.finish(self.connection, self._now_ms())
            with suppress(sqlite3.Error):
                checkpoint(self.connection)
