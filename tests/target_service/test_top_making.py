"""How a materialised top is put together, published, and kept from going back."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec
import pytest
from fake_redis import run_at
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leaderboard_client import PARTITIONS, key_of
from prometheus_client import CollectorRegistry
from valkey_process import ValkeyProcess

from target_service.leaderboard.boards import AlwaysFresh, Boards
from target_service.leaderboard.entries import GlobalEntry
from target_service.leaderboard.key_commands import KeyCommands, Store
from target_service.leaderboard.materialised_top import Copies, Making, OwnTops
from target_service.leaderboard.top_store import (
    HOLD,
    LEASE,
    Book,
    Floor,
    Look,
    MadeTop,
    monotonic_us,
)
from target_service.ledger.errors import LeaseLost
from target_service.ledger.leases import pause_job
from target_service.ledger.store import Store as LedgerStore
from target_service.metrics import Metrics, TopSeries
from target_service.redis.pipeline import Pipeline
from target_service.settings import Settings

DATABASE = 10
SKEWED = st.lists(
    st.tuples(st.sampled_from([0, 0, 0, 0, 1, 5, 11]), st.integers(-50, 50)), max_size=120
)


def make(valkey: ValkeyProcess, depth: int) -> MadeTop:
    """Put a top of this depth together from the server's boards."""
    made: list[MadeTop] = []
    boards = Boards(Settings(mode="partitioned"))
    metrics = Metrics()
    commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}

    async def play(pipeline: Pipeline) -> None:
        """Make one."""
        store = Store(boards, commands, pipeline, AlwaysFresh())
        made.append(await Making(store, depth).make("s1"))

    run_at(valkey.url(DATABASE), play)
    return made[0]


@given(entries=SKEWED, depth=st.integers(1, 40))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_first_ones_are_those_of_all(
    valkey: ValkeyProcess, entries: list[tuple[int, int]], depth: int
) -> None:
    """However unevenly the best are spread, what is not read could not have mattered."""
    players = [
        (score, f"p{n:03d}", key_of(PARTITIONS[at])) for n, (at, score) in enumerate(entries)
    ]
    with valkey.client(DATABASE) as redis:
        redis.flushdb()
        for score, player, key in players:
            redis.zadd(key, {player: score})

    made = make(valkey, depth)

    assert made.entries == [
        GlobalEntry(player, score, key)
        for score, player, key in sorted(players, reverse=True)[:depth]
    ]
    assert made.candidates <= 12 * depth


def test_the_moment_is_the_servers_and_before_the_first_read(valkey: ValkeyProcess) -> None:
    """Between two questions to the server for its time lies the time of the top."""
    with valkey.client(DATABASE) as redis:
        before, made, after = redis.time(), make(valkey, 10), redis.time()

    moments: list[int] = [int(s) * 1_000_000 + int(us) for s, us in (before, after)]
    assert moments[0] <= made.as_of_us <= moments[1]


def top(as_of_us: int, season: str = "s1") -> MadeTop:
    """A top of that moment."""
    return MadeTop(season, as_of_us, 12, False, [GlobalEntry("ann", as_of_us, "lb:eu:solo:s1")])


@pytest.fixture
def ledger(tmp_path: Path) -> LedgerStore:
    """A ledger's file."""
    store = LedgerStore(tmp_path / "ledger.db")
    store.prepare()
    return store


async def _publish(book: Book, tops: Sequence[MadeTop]) -> Look:
    lease = await book.take_lease()
    assert lease is not None
    await book.publish(lease, tops)
    return await book.look({"s1": 0, "s2": 0})


def test_a_top_follows_the_one_before_whatever_the_clock_says(ledger: LedgerStore) -> None:
    """The server's clock is set back by a minute: what is made then is newer all the same."""
    minute_us = 60_000_000
    late, early = top(2 * minute_us), top(minute_us)

    async def scenario() -> list[Look]:
        """Publish before and after."""
        book = Book(ledger, "one", 60_000)
        looks = [
            await _publish(book, [late]),
            await _publish(book, [early, top(7, "s2")]),
            await book.look({"s1": late.as_of_us, "s2": 6}),
            await _publish(book, [top(2 * minute_us + 9)]),
        ]
        await book.close()
        return looks

    looks = asyncio.run(scenario())

    after = MadeTop("s1", 2 * minute_us + 1, 12, False, early.entries)
    assert [list(look.newer) for look in looks] == [
        [late],
        [after, top(7, "s2")],
        [after, top(7, "s2")],
        [top(2 * minute_us + 9), top(7, "s2")],
    ]


@pytest.mark.parametrize(
    ("by_clock_seconds", "by_machine_seconds", "age_seconds"),
    [(5, 5, 5), (-60, 3, 3), (400, -9, 400), (-60, -9, None), (-60, None, None), (7, None, 7)],
)
def test_an_age_is_never_hidden(
    monkeypatch: pytest.MonkeyPatch,
    by_clock_seconds: int,
    by_machine_seconds: int | None,
    age_seconds: int | None,
) -> None:
    """A clock set back does not make a top young; what neither clock can tell is not told."""
    now_ns, ran_ns = 1_800_000_000_000_000_000, 1_000_000_000_000
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    monkeypatch.setattr(time, "monotonic_ns", lambda: ran_ns)
    as_of_us = now_ns // 1_000 - by_clock_seconds * 1_000_000
    made_us = 0
    if by_machine_seconds is not None:
        made_us = ran_ns // 1_000 - by_machine_seconds * 1_000_000

    assert age_seconds == MadeTop("s1", as_of_us, 12, False, [], made_us).age_seconds()


def test_a_worker_of_its_own_follows_a_clock_that_was_set_back() -> None:
    """Without a ledger: what it answers is the latest, and the gauge is no moment to come."""
    ahead_us = time.time_ns() // 1_000 + 60_000_000
    made = iter([top(ahead_us), top(ahead_us - 60_000_000)])
    registry = CollectorRegistry()
    copies = Copies(TopSeries(registry))

    class Makes:
        """Makes these tops, one after the other."""

        async def make(self, _: str) -> MadeTop:
            """Make the next one."""
            return msgspec.structs.replace(next(made), made_us=monotonic_us())

    async def scenario() -> list[MadeTop | None]:
        """Two rounds."""
        tops = OwnTops(cast("Making", Makes()), copies, ["s1"], 1)
        seen = []
        for _ in range(2):
            await tops.start()
            seen.append(await tops.current("s1"))
        return seen

    first, second = asyncio.run(scenario())

    assert first is not None
    assert second is not None
    assert second.as_of_us == first.as_of_us + 1
    assert second.entries == top(ahead_us - 60_000_000).entries
    told = registry.get_sample_value("leaderboard_topk_as_of_timestamp_seconds")
    assert told is not None
    assert 0 <= time.time() - told < 60


def test_who_has_lost_the_lease_publishes_nothing(ledger: LedgerStore) -> None:
    """A worker that slept past its time fails, whatever the moment of its top."""

    async def scenario() -> tuple[Look, Look]:
        """Let a lease run out at once, and have another worker take it."""
        sleeper, other = Book(ledger, "sleeper", 60_000), Book(ledger, "other", 60_000)
        lease = await sleeper.take_lease()
        assert lease is not None
        connection = ledger.connect()
        connection.execute("UPDATE leases SET until_ms = 0")
        connection.close()
        seen = await _publish(other, [top(20)])
        with pytest.raises(LeaseLost, match=LEASE):
            await sleeper.publish(lease, [top(30)])
        looks = seen, await sleeper.look({"s1": 0})
        await sleeper.close()
        await other.close()
        return looks

    first, second = asyncio.run(scenario())

    assert list(second.newer) == list(first.newer) == [top(20)]
    assert (first.may_lead, second.may_lead) == (True, False)


def test_nobody_leads_while_the_job_is_held(ledger: LedgerStore) -> None:
    """The hold counts for the one who has the lease too, and ends by itself."""

    async def scenario() -> list[bool]:
        """Hold the job, for ever and until a time that is past."""
        book = Book(ledger, "one", 60_000)
        connection = ledger.connect()
        may_lead = [(await book.look({})).may_lead]
        await book.take_lease()
        for until_ms in (2**53, 1):
            with ledger.write_transaction(connection):
                pause_job(connection, HOLD, until_ms)
            may_lead.append((await book.look({})).may_lead)
        connection.close()
        await book.close()
        return may_lead

    assert asyncio.run(scenario()) == [True, False, True]


def test_a_floor_is_shared_and_only_rises(tmp_path: Path) -> None:
    """What one worker has answered, the other sees at once, and the next one that starts."""
    one, other = Floor(tmp_path / "floor"), Floor(tmp_path / "floor")
    one.rise(2**60)
    other.rise(5)
    seen = [one.as_of_us, other.as_of_us]
    one.close()
    other.close()
    successor = Floor(tmp_path / "floor")
    seen.append(successor.as_of_us)
    successor.close()

    assert [2**60] * 3 == seen


def test_a_floor_without_a_file_is_the_workers_own(tmp_path: Path) -> None:
    """Where nothing may be written, one worker still never goes back."""
    floor = Floor(tmp_path / "no such folder" / "floor")
    floor.rise(5)
    moment = floor.as_of_us
    floor.close()

    assert moment == 5
