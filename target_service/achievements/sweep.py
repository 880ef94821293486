"""The nightly sweep: every member with a tracking code, a page at a time, under a lease."""

import logging
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from target_service.achievements import sweep_records as sweeps
from target_service.achievements.recount import MOVED, recount
from target_service.achievements.sweep_records import Tally
from target_service.ledger.errors import LedgerError
from target_service.ledger.leases import Lease, acquire_lease, release_lease, renew_lease
from target_service.ledger.store import Store
from target_service.timestamps import wall_clock_ms

# Sorts behind every id: none has a character beyond it.
BEYOND = "\U0010ffff" * 65
_PAGE_MEMBERS = 1_000
# One row for a page: its members, the last of them, and those who have moved.
_PAGE = (
    "SELECT count(*), max(member), json_group_array(member) FILTER (WHERE moved) FROM"  # noqa: S608  (own names)
    f" (SELECT c.member AS member, ({MOVED}) AS moved FROM member_counters c"
    " LEFT JOIN achievement_standings s ON s.member = c.member"
    " WHERE c.tracking_code IS NOT NULL AND c.member > ? AND c.member <= ?"
    " ORDER BY c.member LIMIT ?)"
)
_members = msgspec.json.Decoder(list[str]).decode


class Page(NamedTuple):
    """How many members, the last of them, and those whose standing is not what it should be."""

    members: int
    last: str
    moved: list[str]


def read_page(connection: sqlite3.Connection, after: str, up_to: str) -> Page | None:
    """Read the members after one, up to another; None when there are none."""
    members, last, moved = connection.execute(_PAGE, (after, up_to, _PAGE_MEMBERS)).fetchone()
    return Page(members, last, _members(moved)) if members else None


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did; `resumed_after` is where one that died had got to, if one had."""

    night: str | None
    tally: Tally
    seconds: float
    resumed_after: str

    def __str__(self) -> str:
        tally = self.tally
        whose = f"night {self.night}" if self.night else "by hand"
        resumed = f", resumed after {self.resumed_after!r}" if self.resumed_after else ""
        failed = f", failed {tally.failed}" if tally.failed else ""
        return (
            f"sweep ({whose}{resumed}): scanned {tally.scanned}, changed {tally.changed}, "
            f"unchanged {tally.scanned - tally.changed - tally.failed}, "
            f"unlocked {tally.unlocked}{failed}, {self.seconds:.3f} seconds"
        )


logger = logging.getLogger(__name__)

LEASE = "achievements-sweep"
LEASE_MS = 10_000
# Whoever counts meanwhile waits for the file as long as a slice takes: a few milliseconds.
_SLICE_MEMBERS = 50
# Of members whose recount fails so many are named in the log; all are counted.
_NAMED_AT_MOST = 10


class SweepCut(Exception):
    """The service stops in the middle of a sweep; the next one goes on where it was."""


class Sweep:
    """One run, begun with the lease taken; everything here blocks.

    Each transaction that writes renews the lease first, so a sweep that slept past its lease while
    another took it is fenced off before it writes anything. The members are gone through from
    where a run that died had got to, then from the beginning up to there: every run looks at
    everybody, and what was cut off comes first. A member whose recount fails is passed over, named
    and counted, and stops nobody else's.
    """

    def __init__(
        self,
        store: Store,
        connection: sqlite3.Connection,
        lease: Lease,
        night: str | None,
        now_ms: Callable[[], int],
        is_cut: Callable[[], bool],
        begun: tuple[int, str],
    ) -> None:
        self._store = store
        self._connection = connection
        self._lease = lease
        self._night = night
        self._now_ms = now_ms
        self._is_cut = is_cut
        self.number, self._resumed_after = begun
        self._tally = Tally()
        self._renewed = time.monotonic()

    def run(self) -> SweepReport:
        """Sweep to the end, and say in one line what was done, or why it did not come there.

        Raises:
            LeaseLost: it was fenced off, another sweep has taken over.
            SweepCut: it was told to stop.
            LedgerError: the file does not take it.

        """
        started = time.monotonic()
        try:
            # What dies with the machine is found again; the end is synced, and covers it all.
            with self._store.unsynced(self._connection):
                for after, up_to in ((self._resumed_after, BEYOND), ("", self._resumed_after)):
                    for page in self._pages(after, up_to):
                        self._settle(page)
            self._end(started)
        except (LedgerError, SweepCut) as error:
            logger.info("%s; it did not end: %s", self._report(started), error)
            raise
        report = self._report(started)
        logger.info("%s", report)
        return report

    def _report(self, started: float) -> SweepReport:
        seconds = time.monotonic() - started
        return SweepReport(self._night, self._tally, seconds, self._resumed_after)

    def _end(self, started: float) -> None:
        with self._store.write_transaction(self._connection):
            now_ms = self._now_ms()
            renew_lease(self._connection, self._lease, LEASE_MS, now_ms)
            sweeps.note(self._connection, self.number, self._tally, "")
            took_ms = round((time.monotonic() - started) * 1_000)
            sweeps.end(self._connection, self.number, now_ms, took_ms)
            if self._night is not None:
                sweeps.decide(self._connection, self._night, "swept", now_ms)
            release_lease(self._connection, self._lease)

    def _pages(self, after: str, up_to: str) -> Iterator[Page]:
        while after < up_to:
            if self._is_cut():
                self._release()
                raise SweepCut("The service stops.")
            with self._store.read_transaction(self._connection):
                page = read_page(self._connection, after, up_to)
            if page is None:
                return
            yield page
            after = page.last

    def _settle(self, page: Page) -> None:
        """Recount who has moved; a page of which nobody has costs no write but the lease's."""
        self._tally.scanned += page.members
        slices = range(0, len(page.moved), _SLICE_MEMBERS)
        for start in slices:
            some = page.moved[start : start + _SLICE_MEMBERS]
            is_last = start == slices[-1]
            self._write(some, page.last if is_last else None)
        if not slices and time.monotonic() - self._renewed > LEASE_MS / 3_000:
            self._write((), page.last)

    def _write(self, members: Sequence[str], swept_to: str | None) -> None:
        """Recount these in one transaction; where that fails, those it does not fail for."""
        try:
            self._recount(members, swept_to)
        except LedgerError:
            raise
        except Exception as error:
            if not members:
                raise
            if len(members) == 1:
                self._pass_over(members[0], error)
            else:
                for member in members:
                    self._write((member,), None)
            self._recount((), swept_to)

    def _pass_over(self, member: str, error: Exception) -> None:
        self._tally.failed += 1
        if self._tally.failed <= _NAMED_AT_MOST:
            logger.warning("sweep: the recount of member %r failed: %s", member, error)

    def _recount(self, members: Sequence[str], swept_to: str | None) -> None:
        with self._store.write_transaction(self._connection):
            now_ms = self._now_ms()
            renew_lease(self._connection, self._lease, LEASE_MS, now_ms)
            if members:
                found = recount(self._connection, members, now_ms)
                self._tally.changed += found.changed
                self._tally.unlocked += found.unlocked
            if swept_to is not None:
                sweeps.note(self._connection, self.number, self._tally, swept_to)
        self._renewed = time.monotonic()

    def _release(self) -> None:
        with self._store.write_transaction(self._connection):
            release_lease(self._connection, self._lease)


def begin_sweep(
    store: Store,
    connection: sqlite3.Connection,
    night: str | None,
    now_ms: Callable[[], int] = wall_clock_ms,
    is_cut: Callable[[], bool] = lambda: False,
) -> Sweep | None:
    """Take the lease and open the record; None when another is at work, or has done the night."""
    with store.write_transaction(connection):
        # Each run is an owner of its own: two of one process exclude each other too.
        lease = acquire_lease(connection, LEASE, uuid.uuid4().hex, LEASE_MS, now_ms())
        if lease is None:
            return None
        if night is not None and sweeps.night(connection, night).is_decided:
            release_lease(connection, lease)
            return None
        begun = sweeps.begin(connection, night, now_ms())
    return Sweep(store, connection, lease, night, now_ms, is_cut, begun)
