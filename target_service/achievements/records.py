"""Counters, standings and unlocks as event loops see them: one thread writes, one reads."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar, cast

from target_service.achievements import boards, members, outbox, tables
from target_service.achievements import members as seeing
from target_service.achievements import sweep_records as sweeps
from target_service.achievements.boards import BoardPage, BoardState
from target_service.achievements.counting import Count, Counted, count_all, forget, forgettable
from target_service.achievements.members import Refusal
from target_service.achievements.outbox import Frame
from target_service.achievements.recount import (
    MEMBERS_AT_ONCE,
    MemberPage,
    Recount,
    Recounted,
    read_member,
    recount,
)
from target_service.achievements.sweep_records import Ended, Night, SweepRow
from target_service.achievements.tracks import Numbers
from target_service.ledger.bounded_queue import GroupCommit, ReadQueue
from target_service.ledger.errors import LeaseLost
from target_service.ledger.events import LedgerOptions, Sync
from target_service.ledger.leases import Lease
from target_service.ledger.store import Store
from target_service.timestamps import wall_clock_ms

_FORGET_EVERY_MS = 1_000
_FORGOTTEN_AT_ONCE = 20_000

# A rare order gets the connection and the time; it raises before it writes, or not at all.
Rare: TypeAlias = Callable[[sqlite3.Connection, int], object]
Order: TypeAlias = Count | Recount | Rare


class Serve:
    """Stores what a group of callers asks for; what is refused leaves no trace.

    Counts come first and recounts last, each kind in few statements: every statement costs, and
    every row that SQLite hands to Python gives up the interpreter.
    """

    def __init__(self, kept_seconds: float, now_ms: Callable[[], int]) -> None:
        self._kept_ms = int(kept_seconds * 1_000)
        self._now_ms = now_ms
        self._forgot_at_ms = 0

    def __call__(self, connection: sqlite3.Connection, orders: Sequence[Order]) -> list[object]:
        """Return what became of each order, in their order; an exception is for who asked."""
        now_ms = self._now_ms()
        counts = [order for order in orders if isinstance(order, Count)]
        counted = iter(count_all(connection, counts, now_ms) if counts else ())
        done: list[object] = []
        members: dict[str, None] = {}
        for order in orders:
            match order:
                case Count():
                    done.append(next(counted))
                case Recount(member):
                    members[member] = None
                    done.append(Recounted(0, 0))
                case rare:
                    done.append(_one(connection, rare, now_ms))
        if members:
            # Whoever asked first hears what was found for all.
            first = next(place for place, order in enumerate(orders) if isinstance(order, Recount))
            done[first] = _recount_all(connection, list(members), now_ms)
        self._forget(connection, now_ms)
        return done

    def _forget(self, connection: sqlite3.Connection, now_ms: int) -> None:
        """Forget event ids past their time, now and then."""
        if 0 <= now_ms - self._forgot_at_ms < _FORGET_EVERY_MS:
            return
        self._forgot_at_ms = now_ms
        before_ms = now_ms - self._kept_ms
        if forgettable(connection, before_ms):
            forget(connection, before_ms, _FORGOTTEN_AT_ONCE)


def _one(connection: sqlite3.Connection, rare: Rare, now_ms: int) -> object:
    try:
        return rare(connection, now_ms)
    except (Refusal, LeaseLost) as refusal:
        return refusal


def _recount_all(connection: sqlite3.Connection, members: Sequence[str], now_ms: int) -> Recounted:
    changed = unlocked = 0
    for start in range(0, len(members), MEMBERS_AT_ONCE):
        found = recount(connection, members[start : start + MEMBERS_AT_ONCE], now_ms)
        changed += found.changed
        unlocked += found.unlocked
    return Recounted(changed, unlocked)


T = TypeVar("T")


class Records:
    """The tables in the ledger's file.

    Everything but `open` is for event loops, and raises a LedgerError when the file does not take
    it, or is not open yet.
    """

    def __init__(
        self,
        path: Path,
        sync: Sync = "full",
        now_ms: Callable[[], int] = wall_clock_ms,
        on_unlocked: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._store = Store(path, sync)
        serve = Serve(LedgerOptions().kept_seconds, now_ms)
        self._desk = GroupCommit[Order, object]("achievements-writer", self._store, serve)
        self._questions = ReadQueue("achievements-reader", self._store)
        self._on_unlocked = on_unlocked

    def open(self) -> None:
        """Make the tables and begin to serve; blocks, and raises a LedgerError."""
        tables.prepare(self._store)
        self._desk.start()
        self._questions.start()

    async def count(self, count: Count) -> Counted:
        """Add to a member's counters; raises a Refusal when not all of it can be added."""
        return cast("Counted", await self._order(count, len(count.events)))

    async def enrol(self, member: str, tracking_code: str | None, organization: str | None) -> None:
        """Store who a member is."""
        await self._write(members.enrol, member, tracking_code, organization)

    async def reconcile(self, member: str, numbers: Numbers) -> None:
        """Set a member's counters; raises CannotBe."""
        await self._write(members.reconcile, member, numbers)

    async def complete_night(self, night: str) -> int:
        """Note that a night's reconcile is complete; return when that was said."""
        return await self._write(members.complete_night, night)

    async def member(self, member: str) -> MemberPage | None:
        """Read a member as they are now, without a recount."""
        return await self._read(read_member, member)

    async def recounted(self, member: str) -> MemberPage | None:
        """Read a member whose standing is what the counters say; a moved one is recounted first."""
        page = await self.member(member)
        if page is None or not page.moved:
            return page
        found = cast("Recounted", await self._order(Recount(member)))
        self._on_unlocked(found.unlocked)
        return await self.member(member)

    async def see(self, member: str, number: int) -> None:
        """Note that the member has seen their unlocks up to this number."""
        await self._write(seeing.see, member, number)

    async def board(self, name: str) -> BoardState | None:
        """How far an organisation's board is; None when there never was one."""
        return await self._read(boards.state, name)

    async def board_page(self, name: str, epoch: str, since: int) -> BoardPage | None:
        """What a copy of a board misses."""
        return await self._read(boards.page, name, epoch, since)

    async def waiting(self, at_most: int) -> tuple[str, list[Frame]]:
        """The ledger's identity, and the first unlocks not known to be on the stream."""
        return await self._read(outbox.waiting, at_most)

    async def take_outbox(self, owner: str) -> Lease | None:
        """Take or keep the right to publish."""
        return await self._write(outbox.take, owner)

    async def published(self, lease: Lease, up_to: int) -> None:
        """Note that everything up to this number is on the stream; raises LeaseLost."""
        await self._write(outbox.published, lease, up_to)

    async def night(self, name: str) -> Night:
        """What is known of a night."""
        return await self._read(sweeps.night, name)

    async def decide_night(self, name: str, outcome: str) -> bool:
        """Note what became of a night's sweep; tell whether nobody had before."""
        return await self._write(
            lambda connection, at_ms: sweeps.decide(connection, name, outcome, at_ms)
        )

    async def sweep(self, number: int) -> SweepRow | None:
        """The record of a sweep."""
        return await self._read(sweeps.row, number)

    async def sweeps_ended(self) -> Ended:
        """When a sweep last came to its end, and whether one has that no counter knows of."""
        return await self._read(sweeps.ended)

    async def claim_sweeps(self) -> list[SweepRow]:
        """Take the sweeps that ended since somebody last did, to count them."""
        return await self._write(sweeps.claim)

    async def close(self) -> None:
        """Answer what waits, then give back the file."""
        await self._desk.close()
        await self._questions.close()
        self._store.process_lock.close()

    async def _order(self, order: Order, weight: int = 1) -> object:
        return await self._desk.submit(order, weight)

    async def _write(self, work: Callable[..., T], *arguments: object) -> T:
        return cast("T", await self._order(lambda *given: work(*given, *arguments)))

    async def _read(self, question: Callable[..., T], *arguments: object) -> T:
        return await self._questions.ask(lambda connection: question(connection, *arguments))
