"""The bounded rank of several workers, against every rank there was during the call."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_history import Check, RankHistory, changes_of

from target_service.leaderboard import bounded_rank as following
from target_service.leaderboard.bounded_rank import Follower, Told
from target_service.ledger.errors import LedgerBusy, LedgerClosed
from target_service.ledger.events import Batch, Board, LedgerOptions
from target_service.ledger.sqlite import SqliteLedger
from target_service.timestamps import wall_clock_ms

BOARDS = ("lb:eu:solo:s1", "lb:eu:duo:s1", "lb:apac:solo:s1")
PLAYERS = 40
DAY_MS = 86_400_000


@asynccontextmanager
async def worker(
    path: Path, changes_at_once: int = 500, now_ms: Callable[[], int] = wall_clock_ms
) -> AsyncIterator[tuple[SqliteLedger, Follower]]:
    """One worker: its ledger on the shared file, and its follower at work."""
    options = LedgerOptions(sync="normal", compaction_changes=50, upkeep_rows=20)
    source = SqliteLedger(path, options, now_ms)
    follower = Follower(source, "s1", BOARDS, changes_at_once)
    task = asyncio.create_task(follower.keep())
    try:
        yield source, follower
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await source.close()


async def ask(follower: Follower, player: str) -> Told | None:
    """Ask with much more time than it takes."""
    return await follower.ask(player, asyncio.get_running_loop().time() + 60)


async def submit(ledger: SqliteLedger, player: int, scores: Sequence[int], name: str) -> None:
    """Store scores of one player, who is at home on one board."""
    ids = [f"{name}-{player}-{index}" for index in range(len(scores))]
    board = Board("s1", BOARDS[player % len(BOARDS)])
    await ledger.submit_batch(Batch(board, ids, [f"p{player}"] * len(scores), scores))


@pytest.fixture
def only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Followers count when they are asked, however long that takes, and not in between."""
    monkeypatch.setattr(following, "FOLLOW_SECONDS", 3_600)


@given(
    seed=st.integers(0, 2**32),
    workers=st.integers(1, 3),
    changes_at_once=st.sampled_from([1, 2, 7, 500]),
    width=st.sampled_from([3, 50, 2**53 - 1]),
)
@settings(max_examples=25, deadline=None)
def test_a_true_rank_of_the_call_is_within_the_bound(
    tmp_path_factory: pytest.TempPathFactory,
    seed: int,
    workers: int,
    changes_at_once: int,
    width: int,
) -> None:
    """Whichever worker is asked, however far it is behind, whoever writes meanwhile."""
    path = tmp_path_factory.mktemp("ranks") / "ledger.db"
    rng = random.Random(seed)
    checks: list[Check] = []

    async def write(ledger: SqliteLedger, name: str) -> None:
        for number in range(15):
            player = rng.randrange(PLAYERS)
            scores = [rng.randint(-width, width) for _ in range(rng.randint(1, 6))]
            await submit(ledger, player, scores, f"{name}-{number}")

    async def read(ledger: SqliteLedger, follower: Follower) -> None:
        for _ in range(15):
            player = f"p{rng.randrange(PLAYERS)}"
            before = (await ledger.facts()).last_change
            told = await ask(follower, player)
            after = (await ledger.facts()).last_change
            if told is not None:
                score, off = told.standing.score, told.not_counted
                checks.append(Check(player, before, after, score, told.rank, off, told.total))

    async def scenario() -> None:
        async with AsyncExitStack() as stack:
            pairs = [
                await stack.enter_async_context(worker(path, changes_at_once))
                for _ in range(workers)
            ]
            for player in range(0, PLAYERS, 2):
                await submit(pairs[0][0], player, [rng.randint(-width, width)], "start")
            writers = [write(ledger, str(index)) for index, (ledger, _) in enumerate(pairs)]
            readers = [read(*pair) for pair in pairs for _ in range(2)]
            await asyncio.gather(*writers, *readers)

    asyncio.run(scenario())

    assert checks
    assert RankHistory(changes_of(path)).outside(checks) == []


@pytest.mark.usefixtures("only_when_asked")
def test_what_is_not_counted_yet_is_the_bound(tmp_path: Path) -> None:
    """A follower that counts one change at a time says how many are left, until none is."""

    async def scenario() -> list[tuple[int, int, int]]:
        async with worker(tmp_path / "ledger.db", 1) as (ledger, follower):
            await submit(ledger, 0, [5], "start")
            told = [await ask(follower, "p0")]
            for player in range(1, 5):
                await submit(ledger, player, [10], "more")
            while told[-1] is None or told[-1].not_counted or len(told) < 2:
                told.append(await ask(follower, "p0"))
            return [(one.rank, one.not_counted, one.total) for one in told if one is not None]

    answers = asyncio.run(scenario())

    assert answers[0] == (1, 0, 1)
    assert answers[1] == (2, 3, 2)
    assert answers[-1] == (5, 0, 5)
    assert all(rank + left == 5 for rank, left, _ in answers[1:])


@pytest.mark.usefixtures("only_when_asked")
def test_as_of_is_the_last_moment_when_nothing_was_left(tmp_path: Path) -> None:
    """It stands still while the follower is behind, and never goes back."""

    async def scenario() -> list[Told]:
        async with worker(tmp_path / "ledger.db", 1) as (ledger, follower):
            await submit(ledger, 0, [5], "start")
            told = [await ask(follower, "p0")]
            await submit(ledger, 1, list(range(20)), "more")
            told += [await ask(follower, "p0") for _ in range(30)]
            return [one for one in told if one is not None]

    answers = asyncio.run(scenario())

    moments = [one.as_of_ms for one in answers]
    assert moments == sorted(moments)
    assert {one.as_of_ms for one in answers if one.not_counted} == {moments[0]}


@pytest.mark.usefixtures("only_when_asked")
def test_a_follower_that_fell_behind_the_log_counts_again(tmp_path: Path) -> None:
    """Once changes it needs are gone, it starts from the standings."""
    now = [DAY_MS]

    async def scenario() -> tuple[Told | None, Told | None]:
        async with worker(tmp_path / "ledger.db", now_ms=lambda: now[0]) as (ledger, follower):
            await submit(ledger, 0, [5], "start")
            first = await ask(follower, "p0")
            for player in range(1, 5):
                await submit(ledger, player, [10], "more")
            ledger.mark_projected(range(1, 5))
            follower._counted_to = 0
            now[0] += 2 * DAY_MS
            while not (await ledger.facts()).trimmed_to:
                pass
            return first, await ask(follower, "p0")

    first, second = asyncio.run(scenario())

    assert first is not None
    assert second is not None
    assert (first.rank, second.rank, second.not_counted, second.total) == (1, 5, 0, 5)


def test_counts_that_cannot_be_are_counted_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A score given up that nobody had means the counts are wrong, and they are made anew."""

    async def scenario() -> Told | None:
        async with worker(tmp_path / "ledger.db") as (ledger, follower):
            await submit(ledger, 0, [5], "start")
            await ask(follower, "p0")
            assert follower._counts is not None
            follower._counts.move([], [5])
            await submit(ledger, 0, [7], "more")
            return await ask(follower, "p0")

    told = asyncio.run(scenario())

    assert told is not None
    assert (told.rank, told.total) == (1, 1)
    assert "counted again" in caplog.text


def test_only_so_many_may_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one is refused at once, and who waited too long leaves the line."""
    monkeypatch.setattr(following, "WAITING_AT_MOST", 2)

    async def scenario() -> int:
        ledger = SqliteLedger(tmp_path / "ledger.db")
        follower = Follower(ledger, "s1", BOARDS)
        soon = asyncio.get_running_loop().time() + 0.05
        waiting = [asyncio.create_task(follower.ask("p0", soon)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(LedgerBusy, match="2 bounded ranks already wait"):
            await follower.ask("p0", soon)
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        await ledger.close()
        assert all(isinstance(outcome, TimeoutError) for outcome in outcomes)
        return len(follower._waiting)

    assert asyncio.run(scenario()) == 0


def test_a_closed_ledger_is_told_to_all_who_wait(tmp_path: Path) -> None:
    """Nobody waits for an answer that cannot come."""

    async def scenario() -> None:
        async with worker(tmp_path / "ledger.db") as (ledger, follower):
            await submit(ledger, 0, [5], "start")
            await ask(follower, "p0")
            await ledger.close()
            with pytest.raises(LedgerClosed):
                await ask(follower, "p0")

    asyncio.run(scenario())
