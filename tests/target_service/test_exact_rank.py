"""A rank read board by board while scores move: a plain fan-out errs unseen, ours says so."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import count

import pytest
from fake_redis import PATIENCE_SECONDS
from leaderboard_client import PARTITIONS, key_of
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.leaderboard.boards import AlwaysFresh, Boards
from target_service.leaderboard.key_commands import KeyCommands, Store
from target_service.leaderboard.ranks import ExactRank, Rank, RankLimit
from target_service.metrics import Metrics
from target_service.projection.guarded_writes import MARK, companion
from target_service.redis.commands import Command, Uncounted, pack
from target_service.redis.connection import connector
from target_service.redis.pipeline import Answers, Pipeline
from target_service.settings import Settings

DATABASE = 12
FIRST, SECOND = (key_of(partition) for partition in PARTITIONS[:2])
Meddle = Callable[[], None]


class Moves:
    """Scores that move between two reads, and the true rank of `ann` after each move."""

    def __init__(self, redis: Redis, scores: dict[str, dict[str, int]]) -> None:
        redis.flushdb()
        for partition in PARTITIONS:
            redis.hset(companion(key_of(partition), MARK), "epoch", "one")
        self._redis = redis
        self._scores: dict[str, int] = {}
        self.true_ranks: list[int] = []
        for key, players in scores.items():
            for player, score in players.items():
                self.move(key, player, score)
        del self.true_ranks[:-1]

    def move(self, key: str, player: str, score: int) -> None:
        """Set a score as the guarded write does: the board counts it."""
        self._redis.zadd(key, {player: score})
        self._redis.hincrby(companion(key, MARK), "writes", 1)
        self._scores[player] = score
        own = self._scores["ann"]
        self.true_ranks.append(1 + sum(other > own for other in self._scores.values()))


class MeddledPipeline(Pipeline):
    """A pipeline between whose turns scores move."""

    def __init__(self, url: str, meddle: Meddle) -> None:
        super().__init__(connector(url, PATIENCE_SECONDS), PATIENCE_SECONDS)
        self._meddle = meddle

    async def run(self, commands: Sequence[Command], deadline: float | None = None) -> Answers:
        """Run the commands, then have scores moved."""
        answers = await super().run(commands, deadline)
        self._meddle()
        return answers


def plain_rank(redis: Redis, keys: Sequence[str], own: str, meddle: Meddle) -> int:
    """The rank as a plain fan-out counts it, one command after another."""
    score = redis.zscore(own, "ann")
    meddle()
    rank = 1
    for key in keys:
        rank += int(redis.zcount(key, f"({score:.0f}", "+inf"))
        meddle()
    return rank


def our_rank(url: str, meddle: Meddle) -> Rank:
    """The rank as the service counts it."""
    boards = Boards(Settings(mode="partitioned"))
    metrics = Metrics()
    commands = {key: KeyCommands(key, metrics) for key in boards.keys_of()}
    versions = {
        key: Command(pack("HMGET", companion(key, MARK), "epoch", "writes", "ready"), Uncounted())
        for key in boards.keys_of()
    }

    async def ask(pipeline: MeddledPipeline) -> Rank:
        """Ask for the rank of `ann`."""
        store = Store(boards, commands, pipeline, AlwaysFresh(), versions)
        limit = RankLimit(1_000, lambda: None)
        return await ExactRank(store, limit).read(boards.of()[0], "ann")

    return asyncio.run(_with(MeddledPipeline(url, meddle), ask))


async def _with(
    pipeline: MeddledPipeline, work: Callable[[MeddledPipeline], Awaitable[Rank]]
) -> Rank:
    pipeline.start()
    try:
        return await work(pipeline)
    finally:
        await pipeline.stop()


def at_turn(number: int, *moves: Meddle) -> Meddle:
    """Make these moves after that many turns, and none at the others."""
    turns = count(1)

    def meddle() -> None:
        if next(turns) == number:
            for move in moves:
                move()

    return meddle


@pytest.fixture
def redis(valkey: ValkeyProcess) -> Redis:
    """A database of the tests' own."""
    return valkey.client(DATABASE)


# `low` climbs over ann after its board was counted; `high` falls below before its board is.
BEFORE = {FIRST: {"ann": 50, "low": 10}, SECOND: {"high": 90}}


def _unlucky(moves: Moves) -> tuple[Meddle, Meddle]:
    return (
        lambda: moves.move(FIRST, "low", 70),
        lambda: moves.move(SECOND, "high", 20),
    )


def test_a_plain_fan_out_answers_what_was_never_true(redis: Redis) -> None:
    """The true rank is 2, then 3, then 2; the answer is 1, and nothing tells."""
    moves = Moves(redis, BEFORE)

    # Turns: the score, the first board, the second one.
    rank = plain_rank(redis, [FIRST, SECOND], FIRST, at_turn(2, *_unlucky(moves)))

    assert moves.true_ranks == [2, 3, 2]
    assert rank == 1


def test_ours_says_how_far_off_it_can_be(redis: Redis, valkey: ValkeyProcess) -> None:
    """The same moves at the same place: two changes were seen, and all true ranks are within."""
    moves = Moves(redis, BEFORE)

    # Turns: the own board, all others.
    answer = our_rank(valkey.url(DATABASE), at_turn(1, *_unlucky(moves)))

    assert moves.true_ranks == [2, 3, 2]
    assert (answer.rank, answer.exact, answer.max_rank_error) == (1, False, 2)
    assert all(abs(rank - answer.rank) <= 2 for rank in moves.true_ranks)


def test_a_plain_fan_out_counts_the_player_above_themself(redis: Redis) -> None:
    """The leader's score rises after it was read: second, and never anything but first."""
    moves = Moves(redis, {FIRST: {"ann": 50}, SECOND: {"bob": 10}})
    rise = at_turn(1, lambda: moves.move(FIRST, "ann", 60))

    assert plain_rank(redis, [FIRST, SECOND], FIRST, rise) == 2
    assert moves.true_ranks == [1, 1]


@pytest.mark.parametrize("turn", [1, 2])
def test_ours_never_does(redis: Redis, valkey: ValkeyProcess, turn: int) -> None:
    """Whenever the leader's score rises during the call, the leader is first."""
    moves = Moves(redis, {FIRST: {"ann": 50}, SECOND: {"bob": 10}})
    rise = at_turn(turn, lambda: moves.move(FIRST, "ann", 60))

    answer = our_rank(valkey.url(DATABASE), rise)

    assert (answer.rank, answer.score) == (1, 50)
    assert answer.exact == (turn == 2)
    assert set(moves.true_ranks) == {1}


def test_still_boards_are_exact(redis: Redis, valkey: ValkeyProcess) -> None:
    """Nothing moved, and the versions prove it."""
    Moves(redis, BEFORE)

    answer = our_rank(valkey.url(DATABASE), lambda: None)

    assert (answer.rank, answer.exact, answer.max_rank_error) == (2, True, 0)
