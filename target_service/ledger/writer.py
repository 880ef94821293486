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
    """Takes groups from the inbox, stores each in one commit, then answers everybody in it.

    While one group is on its way to the disk, the next one gathers: the slower the disk, the
    larger the groups. ReadQueue are answered between groups.
    """

    def __init__(
        self,
        store: Store,
        inbox: WriteQueue,
        options: LedgerOptions,
        now_ms: Callable[[], int],
        on_commit: CommitObserver,
    ) -> None:
        self.connection = store.connect()
        self.guard = LatestStandings()
        self.trouble: str | None = None
        fold = Compaction(
            self.guard, uuid.uuid4().hex, options.fold_changes, int(options.fold_seconds * 1_000)
        )
        self.upkeep = Upkeep(store, self.guard, fold, options)
        self._work = Work([], [], closing=False)
        self._groups = GroupWriter(store, self.connection, self.guard)
        self._store = store
        self._inbox = inbox
        self._options = options
        self._now_ms = now_ms
        self._on_commit = on_commit
        with store.reading(self.connection):
            self.guard.catch_up(self.connection)
        self._thread = threading.Thread(target=self._run, name="ledger-writer", daemon=True)

    def start(self) -> None:
        """Begin to take from the inbox."""
        self._thread.start()

    def join(self) -> None:
        """Wait until everything queued is answered and the file is closed."""
        self._thread.join()

    def _run(self) -> None:
        try:
            while self._round():
                pass
            self._finish()
        finally:
            self._inbox.close("The ledger's writer has died; restart the service.")
            closed = LedgerClosed("The ledger closed before it could answer.")
            waiting = [*self._work.promises(), *self._inbox.drain()]
            answer((promise, closed) for promise in waiting)
            self.connection.close()

    def _round(self) -> bool:
        work = self._inbox.take(0 if self.upkeep.urgent else self._options.upkeep_seconds)
        self._work = work
        if work.submissions or self.upkeep.due(self._now_ms()):
            self._turn(work.submissions)
        for read in work.reads:
            self._serve(read)
        return not work.closing

    def _turn(self, submissions: Sequence[Submission]) -> None:
        try:
            with self._store.turns.taken():
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
            self._refuse_when_folding_is_behind()
            outcomes = self._groups.write([one.batch for one in submissions], self._now_ms())
        except LedgerError as error:
            self.trouble = str(error)
            answer((one.promise, error) for one in submissions)
        except Exception as error:  # noqa: BLE001 - whatever one submission does wrong, only its sender hears of it
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

    def _refuse_when_folding_is_behind(self) -> None:
        """Keep memory bounded when whoever folds has stopped while others go on writing."""
        if len(self.guard) > _TAILS_AT_MOST * self._options.fold_changes:
            raise LedgerBusy("Changes wait to be folded; try again.")

    def _serve(self, read: Read) -> None:
        value: object
        try:
            with self._store.reading(self.connection):
                self.guard.catch_up(self.connection)
                value = read.ask()
        except Exception as error:  # noqa: BLE001 - raised to whoever asked
            value = error
        answer([(read.promise, value)])

    def _finish(self) -> None:
        """Leave the file folded, so that its tables alone tell the truth to any reader."""
        with suppress(LedgerError), self._store.turns.taken():
            self.upkeep.finish(self.connection, self._now_ms())
            with suppress(sqlite3.Error):
                checkpoint(self.connection)
