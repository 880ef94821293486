"""What a global rank costs, exact and bounded, beside one ZREVRANK.

The long form:

    .venv/bin/python tests/target_service/bench_ranks.py --players 1000000 --calls 20000

Everything runs in this process on one event loop, as in a worker, with a real server beside it;
the yardstick is one ZREVRANK through the same pipeline.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from ranked_worker import load, name, worker
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.leaderboard.boards import Board
from target_service.leaderboard.bounded_rank import BoundedRank
from target_service.leaderboard.key_commands import Store
from target_service.leaderboard.ranks import ExactRank, RankLimit
from target_service.projection.durability import Durability
from target_service.redis.commands import Command, Uncounted, pack

_AT_ONCE = 32
# Commands inside scripts are in the script's time already.
_COMMANDS = ("evalsha", "zcount", "zrevrank", "hmget")
Call = Callable[[Board, str], Awaitable[object]]


async def seconds_per_call(
    call: Call, boards: tuple[Board, ...], players: int, calls: int, at_once: int
) -> float:
    """The time a call takes when so many are on their way together."""
    rng = random.Random(2)
    asked = iter([rng.randrange(players) for _ in range(calls)])

    async def one_after_another() -> None:
        for player in asked:
            await call(boards[player % len(boards)], name(player))

    started = time.perf_counter()
    await asyncio.gather(*(one_after_another() for _ in range(at_once)))
    return (time.perf_counter() - started) / calls


def server_us(redis: Redis) -> float:
    """The microseconds that the server has worked for the commands of a rank."""
    stats = redis.info("commandstats")
    return float(sum(stats.get(f"cmdstat_{one}", {}).get("usec", 0) for one in _COMMANDS))


def range_of(numbers: Sequence[float]) -> str:
    """The median, and the lowest and the highest."""
    return f"{median(numbers):.2f} ({min(numbers):.2f} to {max(numbers):.2f})"


async def compare(
    store: Store, redis: Redis, contenders: Mapping[str, Call], options: argparse.Namespace
) -> None:
    """Measure the ways to ask in alternating rounds, and print a line for each."""
    boards, players, calls = store.boards.of(), options.players, options.calls
    alone: dict[str, list[float]] = {label: [] for label in contenders}
    many: dict[str, list[float]] = {label: [] for label in contenders}
    worked_us = dict.fromkeys(contenders, 0.0)
    for _ in range(options.rounds):
        for label, call in contenders.items():
            before_us = server_us(redis)
            alone[label].append(await seconds_per_call(call, boards, players, calls // 10, 1))
            many[label].append(await seconds_per_call(call, boards, players, calls, _AT_ONCE))
            worked_us[label] += server_us(redis) - before_us
    yardstick = next(iter(contenders))
    all_calls = options.rounds * (calls + calls // 10)
    for label in contenders:
        ratios = [
            [time / plain for time, plain in zip(times[label], times[yardstick], strict=True)]
            for times in (alone, many)
        ]
        sys.stdout.write(
            f"{label:14}{median(alone[label]) * 1e6:>6.0f} us alone, ratio {range_of(ratios[0])};"
            f"{median(many[label]) * 1e6:>5.0f} us each of {_AT_ONCE} at once, "
            f"ratio {range_of(ratios[1])}; {worked_us[label] / all_calls:.1f} us of the server\n"
        )
    sys.stdout.write(f"{options.rounds} rounds\n")


@asynccontextmanager
async def ways_to_ask(
    store: Store, durability: Durability, players: int
) -> AsyncIterator[Mapping[str, Call]]:
    """One plain command, and both ranks; players are counted for the first time."""
    bounded = BoundedRank(store, durability.ledger)
    exact = ExactRank(store, RankLimit(1e9, lambda: None))
    followers = [asyncio.create_task(job()) for job in bounded.jobs]
    started = time.perf_counter()
    await bounded.read(store.boards.of()[0], name(0))
    seconds = time.perf_counter() - started
    sys.stdout.write(f"{players:,} players, counted for the first time in {seconds:.2f} s\n")

    async def zrevrank(board: Board, player: str) -> object:
        command = Command(pack("ZREVRANK", board.key, player), Uncounted())
        return await store.pipeline.run((command,))

    yield {"one ZREVRANK": zrevrank, "bounded rank": bounded.read, "exact rank": exact.read}
    for task in followers:
        task.cancel()
    await asyncio.gather(*followers, return_exceptions=True)


async def measure(valkey: ValkeyProcess, folder: Path, options: argparse.Namespace) -> None:
    """Fill a worker's boards, then compare."""
    async with worker("partitioned", valkey.url(), folder) as (store, durability):
        await load(store, durability, options.players)
        async with ways_to_ask(store, durability, options.players) as contenders:
            with valkey.client() as redis:
                await compare(store, redis, contenders, options)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, default=60_000)
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        valkey = ValkeyProcess(Path(folder))
        valkey.start()
        try:
            asyncio.run(measure(valkey, Path(folder), options))
        finally:
            valkey.stop()


if __name__ == "__main__":
    main()
