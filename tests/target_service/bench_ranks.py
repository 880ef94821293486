"""What a global rank costs, exact and bounded, beside one ZREVRANK.

python tests/target_service/bench_ranks.py [--players 1000000] [--calls 20000]

Everything runs in this process on one event loop, as in a worker, with a real server beside it;
the yardstick is one ZREVRANK through the same pipeline.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from ranked_worker import load, name, worker
from redis import Redis
from valkey_process import ValkeyProcess

from target_service.bounded_rank.bounded_rank import BoundedRank
from target_service.durability import Durability
from target_service.leaderboard.boards import Board
from target_service.leaderboard.exact_rank import ExactRank
from target_service.leaderboard.rank_limit import RankLimit
from target_service.leaderboard.store import Store
from target_service.redis_wire.command import Command, Uncounted
from target_service.redis_wire.packing import pack

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


async def compare(
    store: Store, durability: Durability, redis: Redis, players: int, calls: int
) -> None:
    """Count for the first time, then print a line for each way to ask."""
    bounded = BoundedRank(store, durability.ledger)
    exact = ExactRank(store, RankLimit(1e9, lambda: None))
    followers = [asyncio.create_task(job()) for job in bounded.jobs]
    boards = store.boards.of()
    started = time.perf_counter()
    await bounded.read(boards[0], name(0))
    sys.stdout.write(
        f"{players:,} players, counted for the first time in "
        f"{time.perf_counter() - started:.2f} s\n"
        f"{'':14}{'alone':>10}{'ratio':>8}{f'{_AT_ONCE} at once':>13}{'ratio':>8}{'server':>12}\n"
    )

    async def zrevrank(board: Board, player: str) -> object:
        command = Command(pack("ZREVRANK", board.key, player), Uncounted())
        return await store.pipeline.run((command,))

    contenders: dict[str, Call] = {
        "one ZREVRANK": zrevrank,
        "bounded rank": bounded.read,
        "exact rank": exact.read,
    }
    yardstick: list[float] = []
    for label, call in contenders.items():
        before_us = server_us(redis)
        alone = await seconds_per_call(call, boards, players, calls // 10, 1)
        many = await seconds_per_call(call, boards, players, calls, _AT_ONCE)
        worked_us = (server_us(redis) - before_us) / (calls + calls // 10)
        yardstick = yardstick or [alone, many]
        sys.stdout.write(
            f"{label:14}{alone * 1e6:>7.0f} us{alone / yardstick[0]:>8.2f}"
            f"{many * 1e6:>10.0f} us{many / yardstick[1]:>8.2f}{worked_us:>9.1f} us\n"
        )
    for task in followers:
        task.cancel()
    await asyncio.gather(*followers, return_exceptions=True)


async def measure(valkey: ValkeyProcess, folder: Path, players: int, calls: int) -> None:
    """Fill a worker's boards, then compare."""
    async with worker("partitioned", valkey.url(), folder) as (store, durability):
        await load(store, durability, players)
        with valkey.client() as redis:
            await compare(store, durability, redis, players, calls)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=60_000)
    parser.add_argument("--calls", type=int, default=4_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        valkey = ValkeyProcess(Path(folder))
        valkey.start()
        try:
            asyncio.run(measure(valkey, Path(folder), options.players, options.calls))
        finally:
            valkey.stop()


if __name__ == "__main__":
    main()
