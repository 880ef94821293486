"""Any interleaving on two workers that share a file does what the truth model does."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from achievement_truth import KEPT_MS, Truth, possible
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from target_service.achievements.counting import Add, Count
from target_service.achievements.members import CannotBe, EventReused
from target_service.achievements.records import Records
from target_service.achievements.tracks import COLUMNS, TRACKS, Numbers
from target_service.ledger.store import Store

ACHIEVEMENTS = [track.achievement for track in TRACKS]
members = st.sampled_from(["ann", "bob", "d\u00e9", 'q"uote'])
organizations = st.sampled_from(["acme", "b c {x}", None])
ids = st.integers(0, 12).map("event-{}".format)
small = st.tuples(*[st.integers(0, 3)] * len(COLUMNS))
large = st.tuples(*[st.sampled_from([0, 5, 60, 700, 60_000, 2**53 - 1])] * len(COLUMNS))
adds = st.one_of(small, large)
events = st.lists(st.builds(Add, ids, adds), min_size=1, max_size=4)
counts = st.lists(st.builds(Count, members, events), min_size=1, max_size=3)
which = st.integers(0, 1)


class TwoWorkers(RuleBasedStateMachine):
    """Two workers' records on one file beside one model."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.folder = Path(tempfile.mkdtemp())
        path = self.folder / "ledger.db"
        Store(path, "normal").prepare()
        self.now_ms = 1_788_000_000_000
        self.truth = Truth()
        self.told: list[int] = []
        self.workers = [
            Records(path, "normal", lambda: self.now_ms, self.told.append) for _ in range(2)
        ]
        for worker in self.workers:
            worker.open()

    def run(self, *works: Coroutine[Any, Any, Any]) -> list[Any]:
        """Do works at once and return what became of each."""

        async def gather() -> list[Any]:
            return await asyncio.gather(*works, return_exceptions=True)

        return self.loop.run(gather())

    @rule(worker=which, drawn=counts)
    def count(self, worker: int, drawn: list[Count]) -> None:
        """Requests on their way at once are stored in the order in which they came."""
        expected = [self.truth.count(one, self.now_ms) for one in drawn]
        became = self.run(*(self.workers[worker].count(one) for one in drawn))

        names = {EventReused: "reused", CannotBe: "impossible"}
        assert expected == [names.get(type(one), one) for one in became]

    @rule(worker=which, name=members, numbers=adds)
    def reconcile(self, worker: int, name: str, numbers: Numbers) -> None:
        """Absolute, up or down; refused when it cannot be."""
        (became,) = self.run(self.workers[worker].reconcile(name, numbers))

        assert isinstance(became, CannotBe) != possible(numbers)
        if possible(numbers):
            self.truth.member(name).numbers = numbers

    @rule(worker=which, name=members, organization=organizations)
    def enrol(self, worker: int, name: str, organization: str | None) -> None:
        """Into an organisation, into another, or out of all."""
        self.run(self.workers[worker].enrol(name, None, organization))
        self.truth.member(name).organization = organization

    @rule(worker=which, name=members)
    def recount(self, worker: int, name: str) -> None:
        """A page shows the standing of a recount, whoever asks at once with whom."""
        pages = self.run(*(self.workers[one].recounted(name) for one in (worker, 1 - worker)))
        if name not in self.truth.members:
            assert [None, None] == pages
            return
        self.truth.recount(name)
        member = self.truth.members[name]
        levels = [sum(name == track for name, _ in member.unlocked) for track in ACHIEVEMENTS]
        for page in pages:
            assert (member.organization, member.points) == (page.organization, page.points)
            assert ([*member.totals], levels) == (page.totals, page.levels)
            assert member.unlocked == [(one.achievement, one.level) for one in page.unlocked]

    @rule(worker=which, name=members, number=st.integers(1, 12))
    def see(self, worker: int, name: str, number: int) -> None:
        """The mark moves forward, up to the member's own last unlock."""
        self.run(self.workers[worker].see(name, number))
        own = [place for place, one in enumerate(self.truth.unlocks, 1) if one[0] == name]
        if own and number <= own[-1]:
            member = self.truth.members[name]
            member.seen = max(member.seen, number)
        (page,) = self.run(self.workers[worker].member(name))

        assert (page.seen if page else 0) == getattr(self.truth.members.get(name), "seen", 0)

    @rule(worker=which, hours=st.integers(1, 30))
    def wait(self, worker: int, hours: int) -> None:
        """Event ids are remembered for a day."""
        self.now_ms += hours * KEPT_MS // 24
        self.run(self.workers[worker].complete_night("2026-09-06"))
        self.truth.forget(self.now_ms)

    @invariant()
    def unlocks_are_numbered_in_order(self) -> None:
        """The outbox has every unlock once, in order, and everybody was told of as many."""
        ((_, frames),) = self.run(self.workers[0].waiting(1_000))

        assert self.truth.unlocks == [(frame[1], frame[2], frame[3]) for frame in frames]
        assert [*range(1, len(frames) + 1)] == [frame[0] for frame in frames]
        assert len(frames) == sum(self.told)

    @invariant()
    def boards_hold_the_points(self) -> None:
        """A board begun anew shows every member of the organisation, and nobody else."""
        for name in ("acme", "b c {x}"):
            (page,) = self.run(self.workers[1].board_page(name, "", 0))
            rows = {} if page is None else {member: points for points, member in page.rows}

            assert self.truth.board(name) == rows

    def teardown(self) -> None:
        """Give everything back."""
        self.run(*(worker.close() for worker in self.workers))
        self.loop.close()
        shutil.rmtree(self.folder)


TestTwoWorkers = TwoWorkers.TestCase
TestTwoWorkers.settings = settings(
    max_examples=25, stateful_step_count=25, suppress_health_check=list(HealthCheck)
)
