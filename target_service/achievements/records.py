"""Counters, standings and unlocks as event loops see them: one thread writes, one reads."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from target_service.achievements import boards, members, outbox, seeing, sweeps, tables
from target_service.achievements.boards import BoardPage, BoardState
from target_service.achievements.counters import Numbers
from target_service.achievements.counting import Count, Counted
from target_service.achievements.outbox import Frame
from target_service.achievements.pages import MemberPage, read_member
from target_service.achievements.recount import Recount, Recounted
from target_service.achievements.serving import Order, Serve
from target_service.achievements.sweeps import Ended, Night, SweepRow
from target_service.ledger.desk import Desk
from target_service.ledger.leases import Lease
from target_service.ledger.options import LedgerOptions, Sync
from target_service.ledger.questions import Questions
from target_service.ledger.store import Store
from target_service.moments import wall_clock_ms

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
        self._desk = Desk[Order, object]("achievements-writer", self._store, serve)
        self._questions = Questions("achievements-reader", self._store)
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
        self._store.turns.close()

    async def _order(self, order: Order, weight: int = 1) -> object:
        return await self._desk.submit(order, weight)

    async def _write(self, work: Callable[..., T], *arguments: object) -> T:
        return cast("T", await self._order(lambda *given: work(*given, *arguments)))

    async def _read(self, question: Callable[..., T], *arguments: object) -> T:
        return await self._questions.ask(lambda connection: question(connection, *arguments))
